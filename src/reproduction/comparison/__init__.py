"""Every printed number beside ours: verdicts, counts, what is covered, and one figure a study."""

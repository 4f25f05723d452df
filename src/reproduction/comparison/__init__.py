"""Published values and claims beside ours: verdicts, counts, coverage, and what explains a difference."""

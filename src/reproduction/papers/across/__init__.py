"""Which method, when? A study of no paper: its record is `paper.PAPER`."""

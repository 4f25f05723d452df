"""Which method, at which depth? A study of no paper: its record is `paper.PAPER`."""

"""Running times of R12: its Figure 3."""

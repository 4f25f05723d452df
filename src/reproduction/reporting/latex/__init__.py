"""Tables in LaTeX, and the paper that holds them all."""

"""The methods of a study over its data sets: mean ranks, all pairs, as a figure, in LaTeX and on the page."""

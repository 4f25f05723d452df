"""What is shown of K15: Table 1 and its marks, Figures 1 to 3, findings, and its part of the page."""

"""What is shown of R12: Table 1, the toy problem, figures, findings, and its part of the page."""

"""What is shown of L14: Tables III to VI, tests, figures, findings, and its part of the page."""

"""What is shown of R12: Table 1, the toy problem, figures, and its part of the page.

`published_values.csv` holds the numbers of Table 1 of Rakotomamonjy (2012), *Sparse Support Vector Infinite
Push*, as they are published. Each data set has the features and the two counts in parentheses. Each method
has the rate at the top and the number of variables, as mean and standard deviation. The ℓ₂ infinite push has
no number of variables.
"""

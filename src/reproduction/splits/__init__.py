"""Train/test splits of a data set, their inner folds, and the rows of one of them."""

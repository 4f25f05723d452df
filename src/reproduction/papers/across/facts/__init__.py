"""Facts of a data set that may explain which method wins."""

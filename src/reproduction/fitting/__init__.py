"""The fit of a method on a split: feature scaling, hyperparameter search, adapters of other software."""

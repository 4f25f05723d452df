"""The records of a paper and its study: tables, figures, experiments, published values, metrics, choices."""

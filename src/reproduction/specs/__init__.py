"""The records that a paper is made of: tables, figures, experiments, published values, metrics, choices."""

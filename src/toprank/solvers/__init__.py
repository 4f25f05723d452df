"""How a problem is minimised. Each module holds one algorithm, which asks the problem for its values and its bound."""

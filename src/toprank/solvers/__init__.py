"""How a problem is minimised: one algorithm a module, which asks the problem for its values and its bound."""

"""How far K15's methods come on each problem, and at what cost."""

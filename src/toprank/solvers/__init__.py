"""The solvers, one algorithm per module. They get objectives, gradients and bounds from the problem."""

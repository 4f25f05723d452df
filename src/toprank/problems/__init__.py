"""What is minimised: objectives, gradients and dual bounds. How it is minimised: `toprank.solvers`."""

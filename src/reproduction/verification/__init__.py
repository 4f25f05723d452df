"""Solvers against conic models and against problems whose answer is known."""

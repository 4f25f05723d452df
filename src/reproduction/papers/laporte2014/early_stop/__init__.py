"""What FenchelRank's early stop does to its sparsity."""

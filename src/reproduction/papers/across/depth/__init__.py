"""What a searched depth adds on each list, and what explains it."""

"""How many positives a loss for the top needs."""

"""The three papers, each in a folder of its own."""

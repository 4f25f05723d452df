"""What one can learn from a run, each thing with the places on the page that show it."""

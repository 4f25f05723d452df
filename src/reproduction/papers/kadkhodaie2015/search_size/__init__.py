"""What a search on a part of the training rows changes, against one on all of them."""

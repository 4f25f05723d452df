"""What an iteration and a fit of K15's methods cost at growing sizes."""

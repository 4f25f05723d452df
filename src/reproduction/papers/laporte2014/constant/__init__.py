"""What the Lipschitz constant that L14 prints costs."""

"""The penalties of L14 on an absolute grid of C."""

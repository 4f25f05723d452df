"""What the strong convexity that A2DM2 adds (K15, λ₁ and λ₂) does to the objective and to the top."""

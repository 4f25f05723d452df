"""Tables and figures of what comes out under every choice that a paper leaves open."""

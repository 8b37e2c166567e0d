"""Words and signatures: what can be said about text without a page around it."""

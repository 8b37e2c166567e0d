"""From bytes to a tree, its links and its metadata."""

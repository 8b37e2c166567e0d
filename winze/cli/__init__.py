"""The commands: one file a group of verbs."""

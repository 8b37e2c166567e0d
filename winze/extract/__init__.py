"""What a target page holds, as a record."""

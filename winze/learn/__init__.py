"""What a few pages teach about a whole site."""

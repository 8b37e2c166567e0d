"""Which URL is fetched next."""

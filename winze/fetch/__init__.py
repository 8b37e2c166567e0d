"""Asking sites for pages: politely, and in such a way that nothing they answer can do harm."""

"""Is a page what the user wants? By its words and by its template (design 6.3)."""

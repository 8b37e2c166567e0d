"""The truth on disk: the URL table, records, the change log, the archive of raw pages."""

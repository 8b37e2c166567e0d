"""The crawl engine beside its peers: the same pages, one run, CPU seconds."""

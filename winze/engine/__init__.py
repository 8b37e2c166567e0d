"""The parts introduced to one another: visit, crawl, survey."""

"""A generated shop site on loopback: `winze demo`, the benches and the tests crawl it."""

"""A soak: many hosts with random faults, a crawl that is killed twice, and a judge."""

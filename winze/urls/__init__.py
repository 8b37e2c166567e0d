"""URLs as values: absolute, canonical, in scope; no network and no plan."""

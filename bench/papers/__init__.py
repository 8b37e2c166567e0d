"""The papers' algorithms as written, to be measured beside ours; never imported by winze."""

"""Figures that must hold: each bench prints its own beside the bar and exits non-zero below it."""

"""What other packages may add to Winze: five fixed points, and the look-up of what is installed."""

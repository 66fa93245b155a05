"""What the makers of both reports share: statistics, plots, pages, the terminal."""

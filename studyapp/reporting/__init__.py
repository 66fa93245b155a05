"""What analysis and experiments share: statistics, plots, HTML pages, terminal tables and wording."""

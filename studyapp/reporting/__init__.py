"""What both report makers share: statistics, plots, HTML pages, tables in the terminal and wording."""

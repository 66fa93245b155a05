"""General tools that know nothing about studies: time, locks, processes, progress, output folders, YAML."""

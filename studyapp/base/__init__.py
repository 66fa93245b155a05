"""Knows no study: time, locks, processes, progress, output folders, strict YAML, the machine."""

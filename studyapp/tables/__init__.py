"""Data in and out: sessions as tidy tables, and tables of answers as sessions."""

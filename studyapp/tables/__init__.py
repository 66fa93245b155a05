"""Sessions as tidy tables, and tables as sessions: columns, export, import, Psych-DS."""

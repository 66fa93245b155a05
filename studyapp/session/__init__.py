"""What happens: events, their log, the session as a fold over it, and whoever takes part in it."""

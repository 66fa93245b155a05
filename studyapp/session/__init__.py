"""The session: its events and their log, the fold over them, the open sitting, replay and rehearsal."""

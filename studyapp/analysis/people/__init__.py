"""The model of people (core.people) and saved sessions: fitted, compared with other models, and checked."""

"""What a participant sees: a page for every step of a session, and the app that shows them in order."""

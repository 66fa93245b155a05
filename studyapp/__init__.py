"""The application: the command line and everything behind it.  The mathematics is in ``core``."""

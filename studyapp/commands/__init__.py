"""One module per command: arguments in, messages out.  Only the command line imports from here."""

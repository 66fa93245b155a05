"""One module a command: arguments in, words out.  Nothing imports from here but the command line."""

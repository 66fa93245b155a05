"""The office, without its screens: what an experimenter does with a study, and who is where."""

"""The office, without its screens: what an experimenter does, and how far participants are."""

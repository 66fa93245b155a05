"""The experimenter's office: the study, its participants, and what to do next."""

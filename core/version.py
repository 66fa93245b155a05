"""The version of the learners: which question they ask after which answers.

It is raised with every change that can change a question, whatever the version of the program.  Session logs
carry it, because only the same version can replay or continue a session.
"""

__all__ = ["LEARNERS"]

LEARNERS = "5"

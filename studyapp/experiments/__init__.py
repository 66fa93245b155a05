"""The paper's simulated experiments.

Data flow one way: a dataset and settings make a *design*; its replications run as *jobs* on any executor and
are saved as *results*; *claims*, *figures* and the *page* are made from these alone.
"""

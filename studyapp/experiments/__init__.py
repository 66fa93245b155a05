"""The paper's simulated experiments.

Data walks one way: a ``dataset`` and settings make a ``design``; its replications are worked out in
``jobs`` by any executor and kept in a ``results`` file; ``claims``, ``figures`` and the ``page`` read from
that file alone.
"""

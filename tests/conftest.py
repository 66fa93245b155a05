"""Settings of all tests.

NumPy and torch get one thread: the tests themselves run side by side, on as many cores as there are.
Hypothesis looks at new examples in every run on a desk, and at the same ones in continuous
integration, where a run must mean the same today as tomorrow.  Ctrl+C counts: a shell lets its
background jobs ignore it, and they would pass that on to the commands which tests interrupt.
"""

from __future__ import annotations

import os
import signal

from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes is not what is tested.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

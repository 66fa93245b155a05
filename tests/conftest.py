"""Settings of all tests.

NumPy and torch get one thread: the tests themselves run side by side, on as many cores as there are.
Hypothesis looks at the same examples in every run, which must mean the same today as tomorrow;
HYPOTHESIS_PROFILE=new looks at new ones.  Ctrl+C counts: a shell lets its
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
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

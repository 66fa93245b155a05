"""One thread for torch: the tests themselves run side by side, on as many cores as there are."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("studyapp", deadline=None)  # how long an example takes is not what is tested
settings.load_profile("studyapp")

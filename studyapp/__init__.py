"""The application: the command line and everything behind it.  The mathematics is in ``core``."""

import os

# The matrices here are small: several threads would only wait for each other.  Long jobs use several
# processes.  This must be set before NumPy is loaded.
for _name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "1")

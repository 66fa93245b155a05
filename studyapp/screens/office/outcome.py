"""How a session ended, in one line for the experimenter who comes back to the office."""

from __future__ import annotations

from pathlib import Path

from studyapp.office.live import LiveLog
from studyapp.session.place import closing_line


def outcome(path: Path) -> str:
    """What the log at this place says about the end of its session."""
    log = LiveLog(path)
    log.update()
    if not path.exists() or (log.session is None and not log.problem):
        return f"{path.stem} has not begun."
    if log.session is None:
        return f"{path.stem}: {log.problem}"
    return closing_line(log.session, log.receipt, options=None)

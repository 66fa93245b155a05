"""The participants whom a study knows: those with a log, and those whose log is gone."""

from __future__ import annotations

from core.errors import SettingError
from core.files import explained
from core.wording import did_you_mean
from studyapp.office.conduct import Conduct
from studyapp.session.ids import check_id
from studyapp.study.folder import StudyFolder

__all__ = ["check_known", "known_participants", "with_log"]

LISTED = 10  # IDs that a message lists


def with_log(folder: StudyFolder) -> list[str]:
    """The IDs that have a log, sorted."""
    sessions = folder.sessions
    with explained(sessions):
        names = [path.name for path in sessions.iterdir()] if sessions.is_dir() else []
    return sorted(
        name.removesuffix(".yaml") for name in names if name.endswith(".yaml") and not name.startswith(".")
    )


def known_participants(folder: StudyFolder, conduct: Conduct) -> list[str]:
    """The IDs that have a log, or had one until it was deleted."""
    return sorted({*with_log(folder), *conduct.deleted})


def check_known(participant: str, folder: StudyFolder, conduct: Conduct) -> None:
    """Refuse an ID that no participant of the study has."""
    check_id(participant)
    known = known_participants(folder, conduct)
    if participant in known:
        return
    same = next((one for one in known if one.lower() == participant.lower()), None)
    guess = f" (did you mean {same!r}?)" if same else did_you_mean(participant, known)
    listed = ", ".join(known[:LISTED]) + (f" and {len(known) - LISTED} more" if len(known) > LISTED else "")
    raise SettingError(
        f"{participant} has no session in {folder.sessions}{guess}; "
        + (f"known: {listed}" if known else "there are no sessions yet")
    )

"""Dates as participants read them, by the computer's own time zone."""

from __future__ import annotations

from datetime import datetime

from studyapp.study.loaded import LoadedStudy

__all__ = ["date_and_time"]


def date_and_time(moment: datetime, loaded: LoadedStudy) -> str:
    """A moment to the minute, in the words of the study; never later than the moment itself."""
    local = moment.astimezone()
    return loaded.say(
        loaded.study.texts.date,
        year=f"{local:%Y}",
        month=f"{local:%m}",
        day=f"{local:%d}",
        time=f"{local:%H:%M}",
    )

"""Questions after a round or at the end: choices, scales and free text, with NASA-TLX and SUS ready made.

NASA-TLX: Hart and Staveland, 1988; the raw form, six scales of 21 steps, with the wording of the
paper-and-pencil version.  SUS: Brooke, 1996; ten statements, five steps from disagreement to
agreement.  Answers are recorded as they are given; scoring is the analysis's work.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from studyapp.study.fields import Name, Part, Text

__all__ = ["READY_MADE", "Choice", "FreeText", "Item", "Scale"]

MOST_CHOICES = 9  # each has a digit as its key


class _Asking(Part):
    id: Name  # under which the answer stands in the log
    ask: Text = Field(min_length=1)
    optional: bool = False


class Choice(_Asking):
    """One of a few."""

    kind: Literal["choice"]
    choices: list[Text] = Field(min_length=2, max_length=MOST_CHOICES)

    @model_validator(mode="after")
    def _all_differ(self) -> Choice:
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("two of the choices are the same; make them differ")
        return self


class Scale(_Asking):
    """A whole number from ``least`` to ``most``, with words at both ends."""

    kind: Literal["scale"]
    least: int = Field(1, ge=0, le=1)
    most: int = Field(7, ge=2, le=21)
    low: Text = ""
    high: Text = ""


class FreeText(_Asking):
    """Whatever one wants to say, on one line."""

    kind: Literal["text"]
    longest: int = Field(500, ge=1, le=5000)


Item = Annotated[Choice | Scale | FreeText, Field(discriminator="kind")]


def _tlx(id: str, ask: str, low: str = "Very low", high: str = "Very high") -> Scale:
    return Scale(id=id, kind="scale", ask=ask, least=0, most=20, low=low, high=high)


def _sus(number: int, ask: str) -> Scale:
    return Scale(
        id=f"sus-{number}",
        kind="scale",
        ask=ask,
        least=1,
        most=5,
        low="Strongly disagree",
        high="Strongly agree",
    )


READY_MADE: dict[str, list[Choice | Scale | FreeText]] = {
    "nasa-tlx": [
        _tlx("mental-demand", "How mentally demanding was the task?"),
        _tlx("physical-demand", "How physically demanding was the task?"),
        _tlx("temporal-demand", "How hurried or rushed was the pace of the task?"),
        _tlx(
            "performance",
            "How successful were you in accomplishing what you were asked to do?",
            "Perfect",
            "Failure",
        ),
        _tlx("effort", "How hard did you have to work to accomplish your level of performance?"),
        _tlx(
            "frustration",
            "How insecure, discouraged, irritated, stressed, and annoyed were you?",
        ),
    ],
    "sus": [
        _sus(1, "I think that I would like to use this system frequently."),
        _sus(2, "I found the system unnecessarily complex."),
        _sus(3, "I thought the system was easy to use."),
        _sus(4, "I think that I would need the support of a technical person to be able to use this system."),
        _sus(5, "I found the various functions in this system were well integrated."),
        _sus(6, "I thought there was too much inconsistency in this system."),
        _sus(7, "I would imagine that most people would learn to use this system very quickly."),
        _sus(8, "I found the system very cumbersome to use."),
        _sus(9, "I felt very confident using the system."),
        _sus(10, "I needed to learn a lot of things before I could get going with this system."),
    ],
}

"""Which page shows which step of a session."""

from __future__ import annotations

from studyapp.screens.pages.base import Page
from studyapp.screens.pages.before_round import BeforeRoundPage
from studyapp.screens.pages.break_ import BreakPage
from studyapp.screens.pages.confirm_items import ConfirmItemsPage
from studyapp.screens.pages.consent import ConsentPage
from studyapp.screens.pages.instructions import InstructionsPage
from studyapp.screens.pages.item import item_page
from studyapp.screens.pages.round import RoundPage
from studyapp.session.session import (
    AskConsent,
    AskItem,
    AskWord,
    BeginRound,
    ConfirmItems,
    End,
    Instruct,
    Rest,
    Step,
)

__all__ = ["page_for"]


def page_for(step: Step) -> Page:
    """The page for a step.  A round page asks all remaining questions of its round."""
    match step:
        case AskConsent():
            return ConsentPage()
        case Instruct():
            return InstructionsPage()
        case BeginRound(round_):
            return BeforeRoundPage(round_)
        case AskWord(round_, _):
            return RoundPage(round_)
        case AskItem():
            return item_page(step)
        case ConfirmItems():
            return ConfirmItemsPage(step)
        case Rest(after):
            return BreakPage(after)
        case End():
            raise AssertionError("the app shows the end itself, once it is saved")

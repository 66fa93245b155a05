"""Every sentence on the screens that is not part of the study itself.

To translate a study, only its file has to change: the default of each field is the English text, and the
study file may replace it.  All texts may use the general placeholders (``studyapp.study.placeholders``)
besides their own.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from studyapp.study import placeholders
from studyapp.study.fields import LONGEST, Part, check_line
from studyapp.study.placeholders import GENERAL, IN_ROUND

__all__ = ["Texts"]

NEEDED = {"ask": ["word"]}  # placeholders without which a text would make no sense


def line(default: str, where: str, *own: str) -> Any:
    """A line on a screen: its English text, where it is shown, and placeholders of its own."""
    return Field(
        default, max_length=LONGEST, description=where, json_schema_extra={"placeholders": list(own)}
    )


def in_round(default: str, where: str, *own: str) -> Any:
    """A line on the pages of a round, where there is a word to find."""
    return line(default, where, *own, *IN_ROUND)


class Texts(Part):
    """The texts of all screens."""

    # On every screen
    enter: str = line("Press Enter to continue.", "where only Enter works")
    more: str = line("There is more below. Use the arrow keys.", "where a page is longer than the window")
    too_quick: str = line(
        "That was too quick to count. Please press the key again.", "after a key pressed too soon"
    )
    back: str = line("Backspace goes back.", "from the second page of the instructions")
    leave_hint: str = line("Ctrl+Q: pause or leave", "bottom right of every page")
    wrong_enter: str = line("That key does nothing here. Press Enter to continue.", "after another key")
    too_small: str = line(
        "Please make the window larger: at least {width} x {height} characters.",
        "in a small window",
        "width",
        "height",
    )
    not_saved: str = line("This couldn't be saved. Please call the experimenter.", "when the disk is full")
    try_again: str = line("Your earlier answers are safe. Press Enter to try again.", "after not_saved")
    cannot_go_on: str = line(
        "The study can't continue. Please call the experimenter.", "when a session can't be opened"
    )
    details: str = line(
        "({error})",
        "after not_saved and cannot_go_on: what the experimenter needs to know, in English",
        "error",
    )

    # Participant ID
    id_title: str = line("Welcome", "title of the first page")
    id_ask: str = line("Please type your participant ID, then press Enter.", "on the first page")
    id_new: str = line(
        "{id} is a new ID. If it's correct, press Enter again to begin.",
        "when an ID has no session yet",
        "id",
    )
    id_wrong: str = line(
        "Please use only letters, digits, - and _, and at most 64 of them.", "when an ID is not valid"
    )
    id_over: str = line(
        "The session for {id} is already over. Please call the experimenter.",
        "when the participant has finished or withdrawn",
        "id",
    )

    # Consent
    consent_title: str = line("Taking part", "title of the consent page")
    consent_ask: str = line("Do you agree to take part?", "below the consent")
    consent_yes: str = line("yes, I agree", "on the consent page")
    consent_no: str = line("no, I don't agree", "on the consent page")
    declined: str = line(
        "You chose not to take part, so the study ends here. Please tell the experimenter.",
        "after a no to the consent",
    )

    # Instructions, coming back
    instructions_title: str = line("How it works", "title of the instructions")
    page: str = line("page {page} of {pages}", "top right of the instructions", "page", "pages")
    resumed_title: str = line("Welcome back", "title of the page after coming back")
    resumed: str = line(
        "All your answers are saved. You'll continue exactly where you left off.",
        "on the page after coming back",
    )

    # Before and between rounds
    practice_round: str = in_round(
        "Practice round {round} of {practice_rounds}", "title of a practice round", "round"
    )
    real_round: str = in_round("Round {round} of {rounds}", "title of a round that counts", "round")
    practice_note: str = in_round("This is a practice round. It doesn't count.", "before a practice round")
    real_note: str = in_round("Practice is over. From now on, every round counts.", "after the last practice")
    between_note: str = in_round("That round is over. Rest for a moment if you like.", "between rounds")
    progress: str = line("{done} of {rounds} {rounds:round|rounds} done", "below the progress bar", "done")
    next_word: str = in_round("The word to find", "above the target, before a round")
    begin_round: str = in_round("Press Enter for the first question.", "before a round")

    # A round
    target: str = in_round("The word to find", "above the target, in a round")
    question: str = in_round("Question {question} of {questions}", "top right of a round", "question")
    ask: str = in_round("Is {word} relevant?", "the question", "word")
    yes: str = in_round("yes", "the answer yes")
    no: str = in_round("no", "the answer no")
    choose: str = line(
        "Press {yes_key} for yes or {no_key} for no.", "below a question, and below the consent"
    )
    confirm: str = in_round(
        "Your answer: {answer}. Press Enter to confirm, or change it.", "after a choice", "answer"
    )
    choose_first: str = in_round(
        "Please choose first: {yes_key} for yes or {no_key} for no.", "after Enter without a choice"
    )
    wrong_key: str = in_round(
        "That key does nothing here. Press {yes_key} for yes or {no_key} for no.", "after another key"
    )
    answers: str = in_round("Your answers in this round", "above the answers so far")

    # Breaks
    break_title: str = line("Time for a break", "title of a break")
    break_note: str = line(
        "You've finished {done} of {rounds} {rounds:round|rounds}. Stand up, stretch and rest your eyes.",
        "in a break",
        "done",
    )
    break_wait: str = line(
        "You can continue in {seconds} {seconds:second|seconds}.", "until a break may end", "seconds"
    )

    # Questionnaires
    questionnaire: str = line(
        "Questionnaire: question {item} of {items}", "title of a questionnaire's page", "item", "items"
    )
    choice_hint: str = line("Use a number or the arrow keys, then press Enter.", "below a choice")
    scale_hint: str = line(
        "Type {least} to {most} or use the arrow keys, then press Enter.", "below a scale", "least", "most"
    )
    text_hint: str = line("Type your answer, then press Enter.", "below a text entry")
    optional: str = line("You can skip this question: just press Enter.", "above an item that is optional")
    needed: str = line("Please give an answer first.", "after Enter without an answer")

    # Leaving
    leave_title: str = line("Do you want to stop?", "title after Ctrl+Q")
    leave_go_on: str = line("Continue with the study", "first choice after Ctrl+Q")
    leave_for_now: str = line("Leave now and come back later", "second choice, where sessions may be resumed")
    leave_keep: str = line("Withdraw, but my answers may be used", "third choice")
    leave_delete: str = line("Withdraw and delete my answers", "last choice")
    leave_hint_keys: str = line("Use the arrow keys, then press Enter.", "below these choices")
    leave_sure: str = line(
        "All your answers will be deleted for good. Are you sure?", "before answers are deleted"
    )
    leave_sure_no: str = line("No, keep them", "first choice before answers are deleted")
    leave_sure_yes: str = line("Yes, delete them", "second choice before answers are deleted")

    # The end
    end_title: str = line("Thank you!", "title of the last page")
    end: str = line(
        "You've finished the study, and your answers are saved. Please tell the experimenter.",
        "on the last page",
    )
    receipt: str = line("The receipt for your session:", "on the last page, above the receipt")
    receipt_note: str = line(
        "Please write it down. The experimenter will write it down, too. It can later show that nobody has "
        "changed your answers.",
        "on the last page, below the receipt",
    )
    left_title: str = line("See you later", "title after leaving for now")
    left: str = line(
        "Your answers are saved. To continue where you left off, start again with the same ID: {id}.",
        "after leaving for now",
        "id",
    )
    left_unsaved: str = line(
        "Your last step couldn't be saved. Everything before it is safe. Please call the experimenter.",
        "after leaving for now, when the disk is full",
    )
    withdrawn_title: str = line("You've left the study", "title after withdrawing")
    withdrawn_keep: str = line(
        "Your answers have been kept. Thank you for your time. Please tell the experimenter.",
        "after withdrawing; the answers may be used",
    )
    withdrawn_delete: str = line(
        "Your answers have been deleted. Thank you for your time. Please tell the experimenter.",
        "after withdrawing; the answers are deleted",
    )
    close: str = line("Press Enter to close.", "at the bottom of the last page")

    @field_validator("*")
    @classmethod
    def _can_be_shown(cls, text: str, info: ValidationInfo) -> str:
        name = str(info.field_name)
        allowed = [*cls.own_placeholders(name), *GENERAL]
        return placeholders.check(check_line(text), allowed, NEEDED.get(name, []))

    @classmethod
    def own_placeholders(cls, name: str) -> list[str]:
        """The placeholders that a text may use besides the general ones."""
        extra: Any = cls.model_fields[name].json_schema_extra
        return list(extra["placeholders"])

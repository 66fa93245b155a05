"""Every sentence that a participant can see, so that a study in another language changes only its file.

A field's default is the English text, in which the named ``{placeholders}`` may stand.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from studyapp.study.fields import LONGEST, Part, check_holes, check_line

__all__ = ["Texts"]


def line(default: str, *holes: str) -> Any:
    """A line of text on a screen."""
    return Field(default, max_length=LONGEST, json_schema_extra={"holes": list(holes)})


class Texts(Part):
    """The texts of all screens."""

    # On every screen
    enter: str = line("Press Enter to go on.")
    more: str = line("More below: use the arrow keys.")
    too_quick: str = line("That was too quick to count. Please press it once more.")
    back: str = line("Backspace goes back.")
    leave_hint: str = line("Ctrl+Q  pause or leave")
    wrong_enter: str = line("Only Enter is needed here.")
    too_small: str = line(
        "Please make the window larger: at least {width} x {height} characters.", "width", "height"
    )
    not_saved: str = line("This could not be saved. Please call the experimenter.")
    try_again: str = line("Nothing is lost. Press Enter to try again.")
    cannot_go_on: str = line("The study cannot go on. Please call the experimenter.")

    # Participant ID
    id_title: str = line("Welcome")
    id_ask: str = line("Please type your participant ID and press Enter.")
    id_new: str = line("{id} is new here. Press Enter again to begin, or correct it.", "id")
    id_wrong: str = line("An ID is made of letters, digits, - and _, 64 at most.")

    # Consent
    consent_title: str = line("Taking part")
    consent_ask: str = line("Do you agree to take part?")
    consent_yes: str = line("yes, I agree")
    consent_no: str = line("no")
    declined: str = line("You did not agree, so the study ends here. Please tell the experimenter.")

    # Instructions, coming back
    instructions_title: str = line("How it works")
    page: str = line("page {page} of {pages}", "page", "pages")
    resumed_title: str = line("Welcome back")
    resumed: str = line("All your answers are saved. We go on just where you left.")

    # Before and between rounds
    practice_round: str = line("Practice {round} of {rounds}", "round", "rounds")
    real_round: str = line("Round {round} of {rounds}", "round", "rounds")
    practice_note: str = line("This is practice. It does not count.")
    real_note: str = line("From now on it counts.")
    between_note: str = line("That round is done. Take a breath.")
    progress: str = line("{done} of {rounds} rounds done", "done", "rounds")
    next_word: str = line("The word to find")
    begin_round: str = line("Press Enter for question 1.")

    # A round
    target: str = line("The word to find")
    question: str = line("Question {question} of {questions}", "question", "questions")
    ask: str = line("Is {word} relevant?", "word")
    yes: str = line("yes")
    no: str = line("no")
    choose: str = line("Press {yes_key} for yes or {no_key} for no.", "yes_key", "no_key")
    confirm: str = line("Your answer: {answer}. Press Enter, or change it.", "answer")
    choose_first: str = line("First choose: {yes_key} for yes or {no_key} for no.", "yes_key", "no_key")
    wrong_key: str = line(
        "That key does nothing here. Press {yes_key} for yes or {no_key} for no.", "yes_key", "no_key"
    )
    answers: str = line("Your answers in this round")

    # Breaks
    break_title: str = line("A break")
    break_note: str = line(
        "{done} of {rounds} rounds are done. Stand up, stretch, look far away.", "done", "rounds"
    )
    break_wait: str = line("You can go on in {seconds} s.", "seconds")

    # Questionnaires
    questionnaire: str = line("A few questions: {item} of {items}", "item", "items")
    choice_hint: str = line("Press a number, or use the arrow keys; then Enter.")
    scale_hint: str = line("Type {least} to {most} or use the arrow keys; then Enter.", "least", "most")
    text_hint: str = line("Type your answer, then press Enter.")
    optional: str = line("You may leave this empty.")
    needed: str = line("Please give an answer first.")

    # Leaving
    leave_title: str = line("Do you want to stop?")
    leave_go_on: str = line("Go on with the study")
    leave_for_now: str = line("Leave for now; I come back later")
    leave_keep: str = line("Withdraw; my answers may be used")
    leave_delete: str = line("Withdraw; delete my answers")
    leave_hint_keys: str = line("Use the arrow keys, then Enter.")
    leave_sure: str = line("All your answers will be deleted for good. Are you sure?")
    leave_sure_no: str = line("No, keep them")
    leave_sure_yes: str = line("Yes, delete them")

    # The end
    end_title: str = line("Thank you!")
    end: str = line("That was all. Your answers are saved. Please tell the experimenter that you are done.")
    left_title: str = line("See you later")
    left: str = line("Your answers are saved. Start again with the same ID to go on just where you left.")
    left_unsaved: str = line(
        "What you did last could not be saved; all before it is. Please call the experimenter."
    )
    withdrawn_title: str = line("You have left the study")
    withdrawn_keep: str = line(
        "Your answers are kept. Thank you for your time. Please tell the experimenter."
    )
    withdrawn_delete: str = line("Your answers have been deleted. Please tell the experimenter.")
    close: str = line("Press Enter to close.")

    @field_validator("*")
    @classmethod
    def _can_be_shown(cls, value: str, info: ValidationInfo) -> str:
        name = str(info.field_name)
        return check_holes(check_line(value), cls.holes(name), ["word"] if name == "ask" else [])

    @classmethod
    def holes(cls, name: str) -> list[str]:
        """The placeholders that may stand in a text."""
        extra: Any = cls.model_fields[name].json_schema_extra
        return list(extra["holes"])

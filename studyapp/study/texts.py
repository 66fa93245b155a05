"""Every sentence on the screens that is not part of the study itself.

To translate a study, only its file has to change: the default of each field is the English text, and the
study file may replace it.  All texts may use the general placeholders (``studyapp.study.fields``)
besides their own.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from studyapp.study.fields import GENERAL, IN_ROUND, LONGEST, Part, check_line, check_placeholders

# Placeholders without which a text would make no sense.
NEEDED = {"ask": ["word"], "target": ["target"], "next_word": ["target"]}


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
    reread_hint: str = line("F1: instructions", "beside leave_hint, once the instructions have been read")
    wrong_enter: str = line("That key does nothing here.", "after another key than Enter")
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
    id_wrong: str = line(
        "Please use only letters, digits, - and _, and at most 64 of them.", "when an ID is not valid"
    )
    id_over: str = line(
        "The session for {id} is already over. Please call the experimenter.",
        "when the participant has finished or withdrawn",
        "id",
    )
    id_case: str = line(
        "There is already a participant {other}. Please check the capital and small letters in your ID.",
        "when an ID differs from another only in upper and lower case",
        "other",
    )
    who_title: str = line("Is this you?", "title of the page after the participant ID")
    who_new: str = line("{id} is a new ID.", "when an ID has no session yet", "id")
    who_new_note: str = line("If this is exactly the ID that you were given, you can begin.", "below who_new")
    who_yes: str = line("This is me", "first choice on this page")
    who_no: str = line("Not me", "second choice on this page")
    who_hint: str = line("Use the arrow keys, then press Enter.", "below these choices")
    not_me_title: str = line("Not you?", "title after Not me, if the experimenter entered the ID")
    not_me: str = line("Nothing has been changed. Please call the experimenter.", "below not_me_title")

    # Participant ID, coming back
    resumed: str = line("Welcome back, {id}. {place}", "when an ID has an unfinished session", "id", "place")
    resumed_note: str = line(
        "All your answers are saved. You'll continue exactly where you left off.", "below resumed"
    )
    place_consent: str = line("The page about taking part comes next.", "{place}: before the consent")
    place_instructions: str = line("The instructions come next.", "{place}: before the instructions")
    place_practice: str = line(
        "Practice round {round} of {practice_rounds}.", "{place}: in a practice round", "round"
    )
    place_round: str = line("Round {round} of {rounds}.", "{place}: in a round that counts", "round")
    place_questionnaire: str = line(
        "You've finished round {round} of {rounds}. The questionnaire about it comes next.",
        "{place}: in a questionnaire after a round",
        "round",
    )
    place_break: str = line(
        "You've finished round {round} of {rounds}. A break comes next.", "{place}: in a break", "round"
    )
    place_last_questionnaire: str = line(
        "You've finished all the rounds. The last questionnaire comes next.",
        "{place}: in a questionnaire at the end",
    )
    place_end: str = line("You've answered everything.", "{place}: after the last answer")

    # Consent
    consent_title: str = line("Taking part", "title of the consent page")
    consent_ask: str = line("Do you agree to take part?", "below the consent")
    consent_yes: str = line("yes, I agree", "on the consent page")
    consent_no: str = line("no, I don't agree", "on the consent page")
    declined: str = line(
        "You chose not to take part, so the study ends here. Please tell the experimenter.",
        "after a no to the consent",
    )

    # Instructions
    instructions_title: str = line("How it works", "title of the instructions")
    page: str = line("page {page} of {pages}", "top right of the instructions", "page", "pages")
    reread_back: str = line("Esc returns to where you were.", "when the instructions are read again")

    # Before and between rounds
    practice_round: str = in_round(
        "Practice round {round} of {practice_rounds}", "title of a practice round", "round"
    )
    real_round: str = in_round("Round {round} of {rounds}", "title of a round that counts", "round")
    practice_note: str = in_round("This is a practice round. It doesn't count.", "before a practice round")
    real_note: str = in_round("Practice is over. From now on, every round counts.", "after the last practice")
    between_note: str = in_round("That round is over. Rest for a moment if you like.", "between rounds")
    progress: str = line("{done} of {rounds} {rounds:round|rounds} done", "below the progress bar", "done")
    same_word: str = in_round(
        "The same word once more, from the start.", "before a round with the same word as the round before"
    )
    next_word: str = in_round("The word to find: {target}", "above the target, before a round")
    begin_round: str = in_round("Press Enter for the first question.", "before a round")

    # A round
    target: str = in_round("The word to find: {target}", "above the target, in a round")
    question: str = in_round("Question {question} of {questions}", "top right of a round", "question")
    asked_again: str = in_round(
        "This word came up before in this round. This is a new question.",
        "above a question about a word that was asked in this round",
    )
    ask: str = in_round("Is {word} relevant?", "the question", "word")
    yes: str = in_round("yes", "the answer yes")
    no: str = in_round("no", "the answer no")
    choose: str = line(
        "Press {yes_key} for yes or {no_key} for no.", "below a question, and below the consent"
    )
    confirm: str = line("Press Enter to confirm, or change your answer.", "after a choice")
    choose_first: str = in_round("Please choose an answer first.", "after Enter without a choice")
    wrong_key: str = line("That key does nothing here.", "after a key without a meaning")
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
    choice_hint: str = line("Choose with a number or the arrow keys.", "below a choice")
    scale_hint: str = line("Type {least} to {most}, or use the arrow keys.", "below a scale", "least", "most")
    text_hint: str = line("Type your answer. Press Tab when you're done.", "below a text entry")
    item_given: str = line(
        "Press Enter for the next page, or change your answer.",
        "after an answer, if all answers are confirmed together on the page after the last item",
    )
    text_confirm: str = line(
        "Press Enter to confirm, or Tab to keep writing.", "below a text entry, after Tab"
    )
    text_given: str = line(
        "Press Enter for the next page, or Tab to keep writing.",
        "in place of text_confirm, if all answers are confirmed together on the page after the last item",
    )
    text_skip: str = line(
        "Press Enter to skip this question, or Tab to write an answer.",
        "below an empty text entry that is optional, after Tab",
    )
    text_empty: str = line("Press Tab to write an answer.", "below another empty text entry, after Tab")
    text_full: str = line(
        "Your answer has reached the limit of {longest} {longest:character|characters}.",
        "below a text entry that is full",
        "longest",
    )
    optional: str = line("You can skip this question.", "above an item that is optional")
    skip: str = line(
        "Press Enter to skip this question.", "below an item that is optional, while it has no answer"
    )
    needed: str = line("Please give an answer first.", "after Enter without an answer")
    check_title: str = line("Questionnaire: your answers", "title of the page after the last item")
    check_note: str = line(
        "You can still go back and change an answer. Once you confirm your answers, you can't change them.",
        "above the answers, after the last item",
    )
    skipped: str = line("(skipped)", "among these answers, where there is none")
    check_confirm: str = line("Press Enter to confirm your answers.", "below these answers")

    # Leaving
    leave_title: str = line("Do you want to stop?", "title after Ctrl+Q")
    leave_go_on: str = line("Continue with the study", "first choice after Ctrl+Q")
    leave_for_now: str = line("Leave now and come back later", "second choice, where sessions may be resumed")
    leave_keep: str = line("Withdraw, but my answers may be used", "third choice")
    leave_delete: str = line("Withdraw and delete my answers", "last choice")
    leave_hint_keys: str = line("Use the arrow keys, then press Enter.", "below these choices")
    leave_until: str = line(
        "If you leave now, you can come back until {until}.",
        "below these choices, if the time for coming back is limited",
        "until",
    )
    leave_any_time: str = line(
        "If you leave now, you can come back at any time.",
        "in place of leave_until, if the time for coming back is not limited",
    )
    leave_sure_keep: str = line(
        "You won't be able to come back. Your answers so far may be used. Are you sure?",
        "before a withdrawal; the answers may be used",
    )
    leave_sure_delete: str = line(
        "You won't be able to come back, and all your answers will be deleted for good. Are you sure?",
        "before a withdrawal; the answers are deleted",
    )
    leave_sure_no: str = line("No, go back", "first choice before a withdrawal")
    leave_sure_yes_keep: str = line("Yes, withdraw", "second choice; the answers may be used")
    leave_sure_yes_delete: str = line(
        "Yes, withdraw and delete my answers", "second choice; the answers are deleted"
    )
    date: str = line(
        "{year}-{month}-{day}, {time}", "{until}: a date and a time", "year", "month", "day", "time"
    )

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
    left_until: str = line(
        "You can come back until {until}.",
        "after leaving for now, if the time for coming back is limited",
        "until",
    )
    left_any_time: str = line(
        "You can come back at any time.",
        "in place of left_until, if the time for coming back is not limited",
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
        return check_placeholders(check_line(text), allowed, NEEDED.get(name, []))

    @classmethod
    def own_placeholders(cls, name: str) -> list[str]:
        """The placeholders that a text may use besides the general ones."""
        extra: Any = cls.model_fields[name].json_schema_extra
        return list(extra["placeholders"])

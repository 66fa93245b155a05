"""The questions that the office asks, each answered with ``dismiss``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from core.errors import SettingError
from studyapp.screens.widgets import Line

CANCEL = Binding("escape", "cancel", "Cancel")
LONGEST_PASSWORD = 64
ONCE_MORE = "Type the password a second time."
SAME_AGAIN = "The two passwords are not the same."


@dataclass(frozen=True)
class Begin:
    """Who begins or resumes a session, and the password that brings the experimenter back."""

    participant: str
    password: str


class BeginDialog(ModalScreen[Begin | None]):
    """Starts a session: the ID, and a password for the way back."""

    BINDINGS: ClassVar[list[BindingType]] = [CANCEL]

    def __init__(
        self, title: str, proposed: str, password: str, check: Callable[[str], str], *, fixed: bool = False
    ) -> None:
        super().__init__()
        self._title = title
        self._proposed = proposed
        self._password = password
        self._check = check  # the ID; raises a SettingError if it can't be used
        self._fixed = fixed  # is it known who it is?

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Line(self._title, classes="dialog-title")
            if not self._fixed:
                yield Label("Participant ID")
                yield Input(self._proposed, id="participant", max_length=64, compact=True)
            yield Label("Password to return to the office (if empty, Enter is enough)")
            yield Input(
                self._password, id="password", password=True, max_length=LONGEST_PASSWORD, compact=True
            )
            yield Label("The password again")
            yield Input(self._password, id="again", password=True, max_length=LONGEST_PASSWORD, compact=True)
            yield Line("", id="dialog-problem")
            yield Line("Enter: hand the terminal to the participant   Esc: cancel", classes="dialog-keys")

    def on_mount(self) -> None:
        self.query_one("#password" if self._proposed else "#participant").focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        password, again = (self.query_one(name, Input).value for name in ("#password", "#again"))
        problem = self.query_one("#dialog-problem", Line)
        if password != again:  # a slip in it would lock the experimenter out
            problem.update(SAME_AGAIN if event.input.id == "again" else ONCE_MORE)
            self.query_one("#again").focus()
            return
        try:
            participant = self._check(
                self._proposed if self._fixed else self.query_one("#participant", Input).value.strip()
            )
        except SettingError as error:
            problem.update(str(error))
            self.query_one("#participant").focus()
            return
        self.dismiss(Begin(participant, password))

    def action_cancel(self) -> None:
        self.dismiss(None)


@dataclass(frozen=True)
class Ask:
    """A question whose answer is one line of text."""

    title: str
    explanation: str = ""
    expected: str | None = None  # what must be typed to confirm
    keys: str = "Enter: save   Esc: cancel"


class LineDialog(ModalScreen[str | None]):
    """Asks for one line: a note, a reason, or a word that confirms."""

    BINDINGS: ClassVar[list[BindingType]] = [CANCEL]

    def __init__(self, ask: Ask) -> None:
        super().__init__()
        self._ask = ask

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Line(self._ask.title, classes="dialog-title")
            if self._ask.explanation:
                yield Line(self._ask.explanation, classes="dialog-text")
            yield Input(id="line", max_length=500, compact=True)
            yield Line("", id="dialog-problem")
            yield Line(self._ask.keys, classes="dialog-keys")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text, expected = event.value.strip(), self._ask.expected
        if expected is not None and text != expected:
            self.query_one("#dialog-problem", Line).update(f"Type {expected} to confirm, or press Esc.")
        elif not text:
            self.query_one("#dialog-problem", Line).update("Please type something, or press Esc.")
        else:
            self.dismiss(text)

    def action_cancel(self) -> None:
        self.dismiss(None)


class HandOver(ModalScreen[None]):
    """Between a session and the office: only who knows the password gets back."""

    def __init__(self, password: str) -> None:
        super().__init__()
        self._password = password

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Line("One moment, please ...", id="hand-over", classes="dialog-title")
            yield Label("Experimenter: your password" if self._password else "Experimenter: press Enter")
            yield Input(id="password", password=True, max_length=LONGEST_PASSWORD, compact=True)
            yield Line("", id="dialog-problem")

    def session_ended(self) -> None:
        """Ask for the experimenter."""
        self.query_one("#hand-over", Line).update("Please call the experimenter.")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value == self._password:
            self.dismiss(None)
            return
        event.input.value = ""
        self.query_one("#dialog-problem", Line).update("That is not the password.")


class Details(ModalScreen[None]):
    """All that is known about a participant."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "close", "Close")]

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog"):
            yield Line(self._lines[0], classes="dialog-title")
            for line in self._lines[1:]:
                yield Line(line)
            yield Line("Esc: close", classes="dialog-keys")

    def action_close(self) -> None:
        self.dismiss(None)

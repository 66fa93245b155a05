"""The office: one screen on which an experimenter runs a study.

It reads the study file, the study's log, and the session logs as they grow, without their locks.  Whatever
it does, a command does, as a process of its own; a session gets the whole terminal.  So nothing is lost with
the office.  Nothing here tells which model asks, or how models compare.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, Static
from textual.worker import WorkerFailed, get_current_worker

from core.errors import SettingError
from core.wording import counted, visible
from studyapp.base.clock import Clock, SystemClock
from studyapp.base.terminal import is_gone
from studyapp.office.live import outcome
from studyapp.office.status import Row
from studyapp.office.table import details
from studyapp.office.watch import Seen, Watch
from studyapp.screens.office.dialogs import Ask, BeginDialog, Details, HandOver, LineDialog
from studyapp.screens.office.help import Help
from studyapp.screens.office.lending import lend
from studyapp.screens.office.participants import Participants
from studyapp.screens.office.summary import NextSteps, StudySummary
from studyapp.screens.office.task import Task, TaskResult, TaskScreen, command_line
from studyapp.screens.themes import THEMES
from studyapp.screens.widgets import Line
from studyapp.session.ids import check_id, log_path
from studyapp.study.folder import StudyFolder

EVERY = 1.0  # seconds between two looks at the logs
EDITORS = ("nano", "vim", "vi")  # without EDITOR
REHEARSED = 4  # simulated participants
WHILE_LOCKED = ("focus_next", "focus_previous")  # what a participant may do to the office
DONE = ("declined", "finished", "withdrawn", "deleted")  # nothing is left to do
OVER = "The session of {row.participant} is over ({row.state}), so it can't be resumed."
NOT_RESUMED = {"broken": "The log of {row.participant} can't be read: verify (v) says why."}

EMPTY = "Nobody has taken part yet."
NO_MATCH = "No participant matches. Esc shows all."
NONE_LEFT = "Nothing is left to do with anyone. Esc shows all."


class OfficeApp(App[int]):
    """The experimenter's office.  ``fault`` is a bug that ended it."""

    CSS_PATH = "office.tcss"
    TITLE = "studyapp"
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (16, "-short"), (32, "-tall")]  # noqa: RUF012 (Textual's own form)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "start", "Start", tooltip="Start the next participant"),
        Binding("r", "resume", "Resume", tooltip="Resume the chosen participant's session"),
        Binding("n", "note", "Note", tooltip="Write a note about the chosen participant"),
        Binding("x", "exclude", "Exclude", tooltip="Exclude the chosen participant, or undo that"),
        Binding("v", "verify", "Verify", show=False, tooltip="Verify: replay every question of every log"),
        Binding("b", "backup", "Back up", show=False, tooltip="Back up the whole study"),
        Binding(
            "a",
            "analyse",
            "Analyse",
            tooltip="Analyse the sessions; in a blind study, blind until it is unblinded",
        ),
        Binding("question_mark,f1", "help", "Help", key_display="?", tooltip="Help"),
        Binding("q", "quit", "Quit", tooltip="Quit the office"),
        Binding("enter", "details", "Details", show=False, tooltip="All about the chosen participant"),
        Binding("slash", "find", "Find", key_display="/", show=False, tooltip="Find participants by ID"),
        Binding(
            "u",
            "unfinished",
            "Unfinished",
            show=False,
            tooltip="Show only participants with something left to do, or all",
        ),
        Binding("o", "report", "Report", show=False, tooltip="Open the report of the last analysis"),
        Binding("t", "export", "Tables", show=False, tooltip="Export tables"),
        Binding("c", "check", "Check", show=False, tooltip="Check the study file"),
        Binding("e", "edit", "Edit", show=False, tooltip="Edit the study file, then check it"),
        Binding("h", "rehearse", "Rehearse", show=False, tooltip="Rehearse with simulated participants"),
        Binding("d", "delete", "Delete", show=False, tooltip="Delete the chosen participant's answers"),
        Binding("U", "unblind", "Unblind", show=False, tooltip="Unblind the study, for good"),
    ]

    class Looked(Message):
        """The office has looked at the study again."""

        def __init__(self, seen: Seen) -> None:
            super().__init__()
            self.seen = seen

    class Reading(Message):
        """So many logs have been read for the first time."""

        def __init__(self, done: int, total: int) -> None:
            super().__init__()
            self.done = done
            self.total = total

    def __init__(
        self, folder: StudyFolder, *, watch: Watch | None = None, clock: Clock | None = None
    ) -> None:
        super().__init__()
        self.folder = folder
        self.seen: Seen | None = None
        self.fault: BaseException | None = None
        self._watch = watch or Watch(folder)
        self._clock = clock or SystemClock()
        self._password = ""
        self._looking = False
        self._find = ""  # only participants whose ID has this in it are shown
        self._unfinished = False  # are only those shown with whom something is left to do?
        self._ended = ""  # whose session has just ended, until the table has them
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name

    def compose(self) -> ComposeResult:
        yield StudySummary(id="summary")
        yield Participants(id="participants")
        yield Static(EMPTY, id="empty", markup=False)
        yield Input(placeholder="part of an ID; Esc shows all", id="find", compact=True)
        yield Line("", id="details")
        yield Line("", id="problem")
        yield Line("", id="outcome")
        yield NextSteps(id="next")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#participants").focus()
        self.look()
        self.set_interval(EVERY, self.look)
        if not self.is_headless:
            self.set_interval(EVERY, self._look_for_terminal)

    def _look_for_terminal(self) -> None:
        """Textual would read from a closed terminal again and again.  Nothing is lost with the office."""
        if is_gone():
            os._exit(128 + signal.SIGHUP)

    # --- looking

    def look(self) -> None:
        """Look at the study again, unless the last look is still going on."""
        if not self._looking:
            self._looking = True
            self._look()

    @work(thread=True)
    def _look(self) -> None:
        worker = get_current_worker()

        def count(done: int, total: int) -> None:
            if self.seen is None and done % 20 == 0:
                self.post_message(self.Reading(done, total))

        try:
            seen = self._watch.look(count)
            if not worker.is_cancelled:
                self.post_message(self.Looked(seen))
        finally:
            self._looking = False

    def on_office_app_reading(self, message: Reading) -> None:
        if self.seen is None and self.is_running:
            self._base.query_one("#summary", StudySummary).update(
                f"reading {counted(message.total, 'log')}: {100 * message.done // message.total} %"
            )

    def on_office_app_looked(self, message: Looked) -> None:
        if not self.is_running:  # a last look may end while the office closes, when its screens are gone
            return
        before, self.seen = self.seen, message.seen
        if before == self.seen:
            return
        self._base.query_one("#summary", StudySummary).show(self.seen)
        self._base.query_one("#next", NextSteps).show(self.seen, self._clock.now())
        if before is None or (before.rows, before.conduct) != (self.seen.rows, self.seen.conduct):
            self._show_participants()
            self._choose_ended()
        if before is None or before.problems != self.seen.problems:
            self._say("#problem", "\n".join(self.seen.problems))

    @property
    def _base(self) -> Screen[object]:
        """The office itself, whatever covers it now."""
        return self.screen_stack[0]

    @property
    def participants(self) -> Participants:
        return self._base.query_one(Participants)

    def say(self, text: str) -> None:
        """Leave a line above the next steps, until there is another."""
        self._say("#outcome", text)

    def _say(self, place: str, text: str) -> None:
        line = self._base.query_one(place, Line)
        line.update(text)
        line.display = bool(text)

    def _show_participants(self) -> None:
        if self.seen is None:
            return
        rows = [row for row in self.seen.rows if self._is_wanted(row)]
        self.participants.show(rows, self._clock.now())
        self.participants.display = bool(rows)
        if rows and self._base.focused is None:  # the table was hidden, and gave the keys up
            self._base.set_focus(self.participants)
        empty = self._base.query_one("#empty", Static)
        none_left = NONE_LEFT if self._unfinished and not self._find else NO_MATCH
        empty.update(none_left if self.seen.rows else EMPTY)
        empty.display = not rows
        self._show_details()

    def _is_wanted(self, row: Row) -> bool:
        return self._find.lower() in row.participant.lower() and not (self._unfinished and row.state in DONE)

    def _show_details(self) -> None:
        panel, row = self._base.query_one("#details", Line), self.participants.chosen
        panel.set_class(row is not None, "-chosen")
        if row is not None:
            first, *lines = self._details(row)
            panel.border_title = Text(visible(first))
            panel.update("\n".join(lines))

    def _details(self, row: Row) -> list[str]:
        assert self.seen is not None
        return details(row, self.seen.conduct, self._clock.now())

    def on_data_table_row_highlighted(self) -> None:
        if self.seen is not None and self.is_running:
            self._show_details()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_details()

    def action_details(self) -> None:
        if row := self._chosen():
            self.push_screen(Details(self._details(row)))

    def action_find(self) -> None:
        field = self.query_one("#find", Input)
        field.display = True
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "find":
            self._find = event.value
            self._show_participants()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "find":
            event.input.display = bool(event.value)
            self.participants.focus()

    def on_key(self, event: Key) -> None:
        """Esc shows all participants again."""
        if event.key == "escape" and self.screen is self._base:
            field = self.query_one("#find", Input)
            field.value, field.display, self._unfinished = "", False, False
            self.participants.focus()
            self._show_participants()

    def action_unfinished(self) -> None:
        self._unfinished = not self._unfinished
        self._show_participants()

    # --- sessions

    def action_start(self) -> None:
        if self.seen is None:
            return
        loaded = self.seen.overview.loaded
        if loaded is None:
            self.notify("The study file has faults. Check it (c), then edit it (e).", severity="warning")
        elif not loaded.study.collecting:
            self.notify("The study is closed: collecting is false in study.yaml.", severity="warning")
        else:
            proposed = self.seen.overview.next_id(self.seen.rows, self.seen.conduct) or ""
            self._begin("Start a new participant", proposed, self._new_id, fixed=False)

    def _new_id(self, text: str) -> str:
        participant = check_id(text)
        assert self.seen is not None
        for taken in self.seen.taken:
            if taken.lower() == participant.lower():
                raise SettingError(
                    f"{taken} is taken. If that session is unfinished: Esc, choose {taken}, then r."
                )
        return participant

    def action_resume(self) -> None:
        if (row := self._chosen()) is None:
            return
        if row.state not in ("unfinished", "declined", "empty"):
            self.notify(NOT_RESUMED.get(row.state, OVER).format(row=row), severity="warning")
            return
        about = " (open in another window?)" if row.open else ""
        self._begin(f"Resume {row.participant}{about}", row.participant, check_id, fixed=True)

    @work
    async def _begin(self, title: str, proposed: str, check: Callable[[str], str], *, fixed: bool) -> None:
        dialog = BeginDialog(title, proposed, self._password, check, fixed=fixed)
        begin = await self.push_screen_wait(dialog)
        if begin is None:
            return
        self._password = begin.password
        self.clear_notifications()
        self.say("")
        hand_over = HandOver(begin.password)
        await self.push_screen(hand_over)  # it covers the office before the session begins
        command = command_line(["run", f"--participant={begin.participant}"])
        lend(self, command, self.folder.path)
        hand_over.session_ended()
        log = log_path(self._watch.sessions, begin.participant)
        self.say(outcome(log))
        self._ended = begin.participant if log.exists() else ""
        self._choose_ended()
        self.look()

    def _choose_ended(self) -> None:
        """Move the cursor to whoever has just taken part: the next note is likely to be about them."""
        if self.seen is not None and any(row.participant == self._ended for row in self.seen.rows):
            self.participants.choose(self._ended)
            self._ended = ""

    def _chosen(self) -> Row | None:
        """The participant under the cursor; otherwise, say that there is none."""
        row = self.participants.chosen
        if row is None:
            self.notify("There are no participants to choose from.", severity="warning")
        return row

    # --- participants

    @work
    async def action_note(self) -> None:
        if row := self._chosen():
            text = await self.push_screen_wait(LineDialog(Ask(f"A note about {row.participant}")))
            if text is not None:
                await self._do(Task("Note", ["note", "--", row.participant, text], brief=True))

    @work
    async def action_exclude(self) -> None:
        if (row := self._chosen()) is None:
            return
        title = f"Include {row.participant} again" if row.excluded else f"Exclude {row.participant}"
        about = (
            f"Excluded because: {row.excluded}"
            if row.excluded
            else f"{row.participant} will be left out of the analysis. Nothing is deleted."
        )
        reason = await self.push_screen_wait(LineDialog(Ask(title, f"{about}\nThe reason:")))
        if reason is not None:
            undo = ["--undo"] if row.excluded else []
            arguments = ["exclude", f"--reason={reason}", *undo, "--", row.participant]
            await self._do(Task(title, arguments, brief=True))

    @work
    async def action_delete(self) -> None:
        if (row := self._chosen()) is None:
            return
        title = f"Delete the answers of {row.participant}?"
        about = (
            "Only at the participant's request. The answers can't be brought back.\nType the ID to confirm:"
        )
        ask = Ask(title, about, expected=row.participant, keys="Enter: delete   Esc: cancel")
        if await self.push_screen_wait(LineDialog(ask)) is not None:
            await self._do(Task(title, ["delete", "--yes", "--", row.participant]))

    # --- the study

    @work
    async def action_verify(self) -> None:
        await self._do(Task("Verify", ["verify"]))

    @work
    async def action_backup(self) -> None:
        await self._do(Task("Back up", ["backup"]))

    @work
    async def action_analyse(self) -> None:
        await self._do(Task("Analyse", ["analyse"]))

    @work
    async def action_export(self) -> None:
        await self._do(Task("Export tables", ["export", "--force"]))

    @work
    async def action_check(self) -> None:
        await self._do(Task("Check the study", ["check"]))

    @work
    async def action_rehearse(self) -> None:
        await self._do(Task("Rehearse", ["rehearse", "--participants", str(REHEARSED)]))

    async def _do(self, task: Task) -> TaskResult:
        result = await self.push_screen_wait(TaskScreen(task, self.folder.path))
        self.say(result.line)
        self.look()
        return result

    @work
    async def action_edit(self) -> None:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        found = shlex.split(editor) if editor else [name for name in EDITORS if shutil.which(name)][:1]
        if not found:
            self.notify("No editor was found. Set EDITOR, for example: export EDITOR=nano", severity="error")
            return
        try:
            lend(self, [*found, self.folder.file.name], self.folder.path, pause_after=())
        except OSError as error:
            self.notify(f"The editor {found[0]} can't be started: {error.strerror}", severity="error")
            return
        await self._do(Task("Check the study", ["check"]))

    @work
    async def action_unblind(self) -> None:
        about = "From now on, analyses and exports name the models. This can't be undone.\nThe reason:"
        ask = Ask("Unblind the study", about, keys="Enter: continue, then confirm   Esc: cancel")
        reason = await self.push_screen_wait(LineDialog(ask))
        if reason is not None:  # the command itself asks for confirmation
            command = command_line(["unblind", f"--reason={reason}"])
            lend(self, command, self.folder.path, pause_after=(0, 1, 2, 130))
            self.look()

    def action_report(self) -> None:
        report = (self.folder.path / "analysis" / "report.html").resolve()
        if not report.exists():
            self.notify("There is no report yet. Analyse first (a).", severity="warning")
            return
        self.say(f"The report: {report}")
        _open(str(report))

    def action_help(self) -> None:
        self.push_screen(Help(self._own_bindings(), os.getpid()))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        if screen is self._base:
            for binding in self._own_bindings():
                if binding.action != "quit":  # Textual has it
                    callback = getattr(self, f"action_{binding.action}")
                    key = binding.key_display or binding.key
                    yield SystemCommand(binding.tooltip, f"key: {key}", callback)

    def _own_bindings(self) -> list[Binding]:
        return [binding for binding in self.BINDINGS if isinstance(binding, Binding)]

    # --- safety

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a participant may be at the keyboard, no key of the office does anything."""
        if any(isinstance(screen, HandOver) for screen in self.screen_stack):
            return action in WHILE_LOCKED
        return super().check_action(action, parameters)

    def _handle_exception(self, error: Exception) -> None:
        """A bug in studyapp: end without Textual's traceback, which shows what variables hold."""
        if self.is_headless:  # in a test the traceback is wanted
            super()._handle_exception(error)
            return
        self.fault = error.error if isinstance(error, WorkerFailed) else error
        self.exit(1)


def _open(file: str) -> None:
    """Show a file in the browser, where there is a desktop to show it on."""
    if sys.platform == "darwin":
        opener = "open"
    elif os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        opener = "xdg-open"
    else:
        return
    if found := shutil.which(opener):
        subprocess.Popen(
            [found, file],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

"""The office on the screen: who is where, what to do next, and the commands that its keys run.

That none of its screens names a model is shown in tests/studyapp/test_blind_course.py.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from offices import MODELS, a_full_office, events_of, office, put, study_folder
from study_files import small, write
from textual.containers import VerticalScroll

from studyapp.office import study_log
from studyapp.office.events import Analysed, BackedUp, Exported, Noted
from studyapp.office.table import COLUMNS
from studyapp.screens.office import app as office_app
from studyapp.screens.office import task
from studyapp.screens.office.app import OfficeApp
from studyapp.screens.office.dialogs import BeginDialog, Details, HandOver, LineDialog
from studyapp.screens.office.help import Help
from studyapp.session.events import Declined
from studyapp.study.folder import StudyFolder


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return study_folder(tmp_path / "lab", participants=2, blind=True, title="[red]A study[/]")


class Commands:
    """The command lines that the office runs; each says what it was and ends with a code."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = []
        self.code = 0
        self.output = "'said and done'"  # an expression

    def __call__(self, arguments: Any) -> list[str]:
        self.lines.append(list(arguments))
        says = f"print({self.output}, end=''); raise SystemExit({self.code})"
        return [sys.executable, "-I", "-S", "-c", says]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    commands = Commands()
    monkeypatch.setattr(task, "command_line", commands)
    monkeypatch.setattr(office_app, "command_line", commands)
    return commands  # type: ignore[return-value]


# --- what it shows


async def test_the_study_the_participants_and_what_to_do_next(folder: StudyFolder) -> None:
    a_full_office(folder)
    (folder.sessions / "a\x1b[31m[b].yaml").write_bytes(b"?")
    async with office(folder) as desk:
        for size in ((80, 24), (120, 40)):
            await desk.resize(*size)
            await desk.shows(*(f"P0{number}" for number in range(1, 8)), "s Start")
            assert desk.app.seen is not None
            for part in (
                "[red]A study[/]",  # names and notes are shown as they are
                f"lab/study.yaml {desk.app.seen.overview.sha256[:12]}",
                "main stage · 0 of 2 count so far · collecting · blind",
                "practice 2/2 q2",
                "a\\x1b[31m[b]",
                "P07 can't be read: verify (v) says why.",
            ):
                await desk.shows(part)
            assert re.search(r"(^| ·) [\d,.]+ GB free$", desk.text, re.MULTILINE), (
                "facts are not broken in two"
            )
            assert max(map(len, desk.text.split("\n"))) <= size[0]
            assert "\x1b" not in desk.text
        desk.app.participants.choose("P01")
        await desk.shows("receipt ", "excluded: fell asleep")  # a large window has the details of the chosen
        await desk.press("down")
        await desk.shows("[bold]asked[/] for a break")
        await desk.resize(80, 24)
        assert "asked" not in desk.text
        await desk.press("enter")  # and a small one when they are asked for
        await desk.opens(Details)
        await desk.shows("[bold]asked[/] for a break")
        await desk.press("escape")
        await desk.closes()
        now, whole = datetime.now(UTC), desk.text  # a table that was drawn too soon is drawn again
        desk.app.participants.show([], now)
        desk.app.participants.show(desk.app.seen.rows, now)
        assert desk.text
        await desk.until(lambda: desk.text == whole)


async def test_the_table_follows_the_logs_and_the_cursor_stays(folder: StudyFolder) -> None:
    async with office(folder) as desk:
        await desk.shows("Nobody has taken part yet.", "Start P01 (s).")
        put(folder, "P02", events_of("P02", 8))
        put(folder, "P03", events_of("P03", 8))
        await desk.looked()
        await desk.press("down")
        put(folder, "P01", events_of("P01", 8))
        put(folder, "P03")
        study_log.append(folder.log, Noted("P02", "glasses"))
        await desk.looked()
        assert desk.app.participants.chosen is not None
        assert (desk.chosen, desk.app.participants.chosen.state) == ("P03", "finished")
        await desk.shows("glasses")
        study_log.append(folder.log, Noted("P02", "brought glasses"))
        await desk.looked()
        await desk.shows("brought glasses")


async def test_ids_are_found_the_unfinished_shown_alone_and_the_cursor_stays(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as desk:
        everybody = desk.shown
        await desk.press("slash", "0", "2", "enter")
        assert desk.shown == ["P02"]
        await desk.press("escape")
        assert desk.shown == everybody
        await desk.press("u")
        assert desk.shown == ["P02", "P03", "P06", "P07"]
        await desk.press("u")
        assert desk.shown == everybody
        await desk.press("slash", "x", "enter")
        assert (desk.shown, desk.chosen) == ([], None)
        await desk.press("escape")
        assert desk.chosen == "P02", "a note must not go to somebody else"


async def test_who_was_found_among_many_stays_in_sight_when_all_are_shown(folder: StudyFolder) -> None:
    for number in range(1, 41):
        put(folder, f"P{number:02}", events_of(f"P{number:02}", 1))
    study_log.append(folder.log, Noted("P37", f"{'a long note ' * 4}with an end"))
    async with office(folder) as desk:
        for keys in (["slash", "3", "7", "enter"], ["slash", "ctrl+u", "x", "enter"]):
            await desk.press(*keys)
            await desk.press("escape")
            await desk.shows("\n P37")
            assert desk.chosen == "P37"
        await desk.press("end")  # to the right, where IDs stay in sight
        await desk.shows("with an end", "\n P37")


async def test_a_window_of_any_size_is_no_crash(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as desk:
        for size in ((40, 10), (20, 5), (200, 60)):
            await desk.resize(*size)
            for key, screen in (("enter", Details), ("question_mark", Help), ("s", BeginDialog)):
                await desk.press(key)
                await desk.opens(screen)
                await desk.press("escape")
                await desk.closes()
            assert len(desk.shown) == 7


async def test_what_can_not_be_read_is_said_and_hides_nothing_else(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as desk:
        desk.app.say("P01 finished. Receipt: 3a02-2c84-635b-c427")
        good = folder.log.read_bytes()
        for damaged in (True, False):
            folder.log.write_bytes(b"nonsense\n...\n" if damaged else good)
            await desk.looked()
            shown = desk.text.replace("\n ", "")  # a long path is wrapped
            assert ("study.log.yaml" in shown) == damaged
            assert "3a02-2c84-635b-c427" in shown
        folder.file.write_text("title: [")
        await desk.looked()
        await desk.shows("the study file has faults")
        assert len(desk.shown) == 7
        await desk.press("s")  # nobody can begin now
        assert desk.app.screen is desk.app.screen_stack[0]


async def test_the_help_and_the_palette_have_every_key(folder: StudyFolder) -> None:
    async with office(folder) as desk:
        bindings = desk.app._own_bindings()
        titles = [command.title for command in desk.app.get_system_commands(desk.app.screen)]
        assert {binding.tooltip for binding in bindings if binding.action != "quit"} <= {*titles}
        await desk.press("question_mark")
        await desk.opens(Help)
        framed = [
            line.split("│")[1].strip(" ▁▂▃▄▅▆▇█") for line in desk.text.split("\n") if line.count("│") == 2
        ]
        for binding, line in zip(bindings, framed, strict=False):
            assert line.endswith(binding.tooltip)
        assert framed[len(bindings)] == "Ctrl+P  All of this, by name"
        await desk.press("end")
        await desk.shows("until the study is unblinded.")
        await desk.press("escape")
        await desk.closes()
        await desk.resize(120, 40)  # large enough for all of it at once
        await desk.press("question_mark")
        await desk.opens(Help)
        await desk.shows("until the study is unblinded.")
        shown = " ".join(desk.text.split())
        for column in COLUMNS:
            assert f" {column.heading} {column.meaning.split()[0]} " in shown
        for part in (*(binding.tooltip for binding in bindings), f"(kill {os.getpid()})"):
            assert part in shown
        assert desk.app.screen.query_one(VerticalScroll).max_scroll_y == 0


async def test_a_look_that_ends_while_the_office_closes_is_let_go(folder: StudyFolder) -> None:
    async with office(folder) as desk:
        app, seen = desk.app, desk.app.seen
        app.seen = None  # so that whatever arrives is news
        await desk.until(lambda: not app._looking)
    assert seen is not None
    app.on_office_app_reading(OfficeApp.Reading(20, 40))
    app.on_office_app_looked(OfficeApp.Looked(seen))
    app.seen = seen
    app.on_data_table_row_highlighted()


# --- what its keys do


async def test_a_key_runs_its_command_in_the_study_folder(folder: StudyFolder, commands: Commands) -> None:
    put(folder, "P01")
    keys = {
        "v": ["verify"],
        "b": ["backup"],
        "a": ["analyse"],
        "c": ["check"],
        "t": ["export", "--force"],
        "h": ["rehearse", "--participants", "4"],
    }
    async with office(folder) as desk:
        for key, arguments in keys.items():
            await desk.press(key)
            assert (await desk.done()).code == 0
            assert commands.lines[-1] == arguments
            await desk.press("escape")
            await desk.closes()


async def test_notes_and_exclusions_are_asked_for_and_written_by_the_commands(
    folder: StudyFolder, commands: Commands
) -> None:
    a_full_office(folder)
    put(folder, "-7")
    async with office(folder) as desk:
        desk.app.participants.choose("-7")
        await desk.press("n")
        await desk.opens(LineDialog)
        await desk.press("enter")  # an empty note is none
        await desk.press(*"--hot", "enter")
        await desk.closes()
        await desk.shows("said and done")
        for participant, reason, about in (("P01", "no", "Excluded because: fell asleep"), ("P02", "-r", "")):
            desk.app.participants.choose(participant)
            await desk.press("x")
            await desk.opens(LineDialog)
            await desk.shows(about)
            await desk.press(*reason, "enter")
            await desk.closes()
    assert commands.lines == [
        ["note", "--", "-7", "--hot"],
        ["exclude", "--reason=no", "--undo", "--", "P01"],
        ["exclude", "--reason=-r", "--", "P02"],
    ]


async def test_a_deletion_is_confirmed_with_the_id_and_shows_every_copy_that_still_has_the_answers(
    folder: StudyFolder,
) -> None:
    """With the command itself."""
    put(folder, "P01")
    study_log.append(
        folder.log,
        BackedUp("backups/first.zip", "0" * 64, ["P01"]),
        Exported("export", True, ["P01"]),
        Analysed("analysis", True, ["P01"]),
    )
    async with office(folder) as desk:
        await desk.press("d")
        await desk.opens(LineDialog)
        await desk.press(*"P02", "enter")
        await desk.shows("Type P01 to confirm")
        assert b'"answer"' in (folder.sessions / "P01.yaml").read_bytes()
        await desk.press("ctrl+u", *"P01", "enter")
        assert (await desk.done()).code == 0
        await desk.shows("backups/first.zip (a backup", "export (an export", "analysis (an analysis")
        await desk.press("escape")
        await desk.closes()
    assert b'"answer"' not in (folder.sessions / "P01.yaml").read_bytes()


async def test_what_a_command_says_stays_until_it_was_read(folder: StudyFolder, commands: Commands) -> None:
    put(folder, "P01")
    async with office(folder) as desk:
        for key, code, output, shown in (
            (
                "x",
                0,
                "'P01 is excluded\\nit was already unblinded'",
                ["P01 is", "already unblinded"],
            ),
            ("b", 2, "'the disk is full\\x1b[2J'", ["the disk is full", "There was an error: see above."]),
            ("v", 0, "'x' * 200_000 + '\\rthe end'", ["the end", "Done."]),  # a line without an end
        ):
            commands.code, commands.output = code, output
            await desk.press(key)
            if key == "x":
                await desk.opens(LineDialog)
                await desk.press(*"asleep", "enter")
            assert (await desk.done()).code == code
            await desk.shows(*shown)
            await desk.press("escape")
            await desk.closes()


async def test_esc_stops_a_command_and_so_does_the_end_of_the_office(
    folder: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [sys.executable, "-c", "import time; print('on', flush=True); time.sleep(600)"]
    monkeypatch.setattr(task, "command_line", lambda _: waits)

    async with office(folder) as desk:
        await desk.press("v")
        await desk.until(lambda: getattr(desk.app.screen, "_said", None))
        await desk.press("escape")
        await desk.done()
        await desk.shows("Stopped.")
        await desk.press("escape")
        await desk.closes()
        await desk.press("v")
        await desk.until(lambda: getattr(desk.app.screen, "_said", None))
        process = desk.app.screen._process  # type: ignore[attr-defined]
        await desk.press("ctrl+q")
    assert process.returncode is not None


# --- sessions


async def test_the_next_id_is_proposed_one_that_is_taken_is_refused_and_a_password_is_typed_twice(
    folder: StudyFolder,
) -> None:
    put(folder, "P01")
    study_log.append(folder.log, Noted("P02", "on the other machine"))
    async with office(folder) as desk:
        await desk.press("s")
        await desk.opens(BeginDialog)
        await desk.shows("P03")
        await desk.press("shift+tab", "ctrl+u", *"p01", "enter")
        await desk.shows("P01 is taken. If that session is unfinished: Esc,")  # it goes on below
        await desk.press("tab", *"abc", "enter", *"abd", "enter")
        await desk.shows("The two passwords are not the same.")
        assert isinstance(desk.app.screen, BeginDialog)
        await desk.press("escape")
        await desk.closes()
        write(folder.path, small(models=MODELS, collecting=False))
        await desk.looked()
        await desk.press("s")  # a closed study takes nobody new
        assert desk.app.screen is desk.app.screen_stack[0]


async def test_only_who_has_not_finished_is_resumed_and_otherwise_it_says_why(folder: StudyFolder) -> None:
    a_full_office(folder)
    declined = Declined(at="2026-11-18T10:00:00.000Z", clock_ms=1.0)
    put(folder, "P08", [*events_of("P08", 1), declined])
    refused = {
        "P01": "The session of P01 is over (finished), so it can't be resumed.",
        "P04": "The session of P04 is over (withdrawn), so it can't be resumed.",
        "P07": "The log of P07 can't be read: verify (v) says why.",
    }
    async with office(folder) as desk:
        await desk.shows("1 declined")
        for participant, why in refused.items():
            desk.app.participants.choose(participant)
            await desk.press("r")
            assert [notification.message for notification in desk.app._notifications][-1] == why
            assert desk.app.screen is desk.app.screen_stack[0]
        for participant in ("P02", "P08"):  # who declined may think again
            desk.app.participants.choose(participant)
            await desk.press("r")
            await desk.opens(BeginDialog)
            await desk.shows(f"Resume {participant}")
            await desk.press("escape")
            await desk.closes()
        await desk.press("u", "slash", "8")
        assert desk.shown == [], "with who declined, nothing is left to do"


async def test_after_a_session_the_cursor_is_on_whoever_took_part(
    folder: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, "P01")
    put(folder, "P02", events_of("P02", 8))

    def session(_: object, command: list[str], *__: object) -> int:
        participant = command[-1].removeprefix("--participant=")
        put(folder, participant, events_of(participant, 9))
        return 0

    monkeypatch.setattr(office_app, "lend", session)
    async with office(folder) as desk:
        for participant, keys in (("P02", ["down", "r"]), ("P03", ["s"])):
            await desk.press(*keys)
            await desk.opens(BeginDialog)
            await desk.press("enter")
            await desk.opens(HandOver)
            await desk.press("enter")
            await desk.closes()
            await desk.looked()
            assert desk.chosen == participant
            await desk.shows(f"{participant} has not finished (")
            assert "studyapp run" not in desk.text  # a key resumes it


async def test_no_key_but_the_password_leads_back_to_the_office(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as desk:
        keys = ("ctrl+q", "ctrl+c", "ctrl+z", "ctrl+p", "escape", "f1", "tab", "ctrl+d", "ctrl+backslash")
        letters = [binding.key for binding in desk.app._own_bindings() if len(binding.key) == 1]
        for password in ("", "secret"):
            await desk.app.push_screen(HandOver(password))
            await desk.press(*keys, *letters, "ctrl+u", "x", "enter")
            assert isinstance(desk.app.screen, HandOver)
            assert len(desk.app.screen_stack) == 2
            assert not desk.app._exit
            assert "P02" not in desk.text
            await desk.press("tab", "ctrl+u", *password, "enter")
            await desk.closes()

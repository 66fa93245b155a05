"""The office on the screen: who is where, what to do next, and the commands that its keys run."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from offices import (
    MODELS,
    REVEALING,
    a_full_office,
    attended,
    events_of,
    office,
    put,
    settled,
    study_folder,
    text_of,
)
from study_files import small, write
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from studyapp.office import study_log
from studyapp.office.events import Analysed, BackedUp, Exported, Noted, Unblinded
from studyapp.office.table import COLUMNS
from studyapp.screens.office import app as office_app
from studyapp.screens.office import task
from studyapp.screens.office.app import OfficeApp
from studyapp.screens.office.dialogs import BeginDialog, Details, HandOver, LineDialog
from studyapp.screens.office.help import Help
from studyapp.screens.office.task import TaskScreen
from studyapp.session.events import Declined
from studyapp.study.folder import StudyFolder

PATIENCE = 20.0


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return study_folder(tmp_path / "lab", participants=2, blind=True)


async def until(pilot: Pilot[int], happened: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        while not happened():
            await pilot.pause(0.02)


async def looked(app: OfficeApp, pilot: Pilot[int]) -> None:
    """Wait for a look that begins now."""
    await until(pilot, lambda: not app._looking)
    seen = app.seen
    app.look()
    await until(pilot, lambda: app.seen is not seen)
    await settled(app, pilot)


async def test_a_look_that_ends_while_the_office_closes_is_let_go(folder: StudyFolder) -> None:
    async with office(folder) as (app, pilot):
        seen = app.seen
        app.seen = None  # so that whatever arrives is news
        await until(pilot, lambda: not app._looking)
    assert seen is not None
    app.on_office_app_reading(OfficeApp.Reading(20, 40))
    app.on_office_app_looked(OfficeApp.Looked(seen))
    app.seen = seen
    app.on_data_table_row_highlighted()


class Commands:
    """The command lines that the office runs; each says what it was and ends with a code."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = []
        self.code = 0
        self.output = "said and done"

    def __call__(self, arguments: Any) -> list[str]:
        self.lines.append(list(arguments))
        return [sys.executable, "-c", f"print({self.output!r}); raise SystemExit({self.code})"]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    commands = Commands()
    monkeypatch.setattr(task, "command_line", commands)
    monkeypatch.setattr(office_app, "command_line", commands)
    return commands  # type: ignore[return-value]


# --- what it shows


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_office_shows_the_study_the_participants_and_what_to_do_next(
    folder: StudyFolder, size: tuple[int, int]
) -> None:
    a_full_office(folder)
    async with office(folder, size=size) as (app, _):
        text = text_of(app)
        assert app.seen is not None
        for part in ("A small study", "lab/study.yaml", app.seen.overview.sha256[:12], "GB free"):
            assert part in text
        assert "main stage · 0 of 2 count so far · collecting · blind" in text
        for number in range(1, 8):
            assert f"P0{number}" in text
        assert "practice 2/2 q2" in text
        assert "The log of P07 can't be read: verify (v) says why." in text
        assert "s Start" in text
        assert max(map(len, text.split("\n"))) <= size[0]


async def test_the_facts_about_a_study_are_not_broken_at_the_end_of_a_line(folder: StudyFolder) -> None:
    write(folder.path, small(models=MODELS, participants=2, blind=True, collecting=False))
    put(folder, "P01")
    study_log.append(folder.log, Unblinded("all are in", finished=1, unfinished=0))
    async with office(folder) as (app, pilot):
        facts = text_of(app).split("\n")[1:3]
        assert facts[0].endswith(str(datetime.now(UTC).date()))
        assert re.fullmatch(r" [\d,.]+ GB free", facts[1])
        await pilot.resize_terminal(120, 40)
        await settled(app, pilot)
        assert text_of(app).split("\n")[1].endswith(" GB free")


async def test_a_new_study_says_that_nobody_has_taken_part(folder: StudyFolder) -> None:
    async with office(folder) as (app, _):
        assert "Nobody has taken part yet." in text_of(app)
        assert "Start P01 (s)." in text_of(app)


async def test_a_large_window_shows_the_details_of_the_chosen_participant(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder, size=(120, 40)) as (app, pilot):
        assert "receipt " in text_of(app)
        assert "excluded: fell asleep" in text_of(app)
        await pilot.press("down")
        await pilot.pause()
        assert "asked for a break" in text_of(app)


async def test_enter_shows_the_details_in_any_window(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        await pilot.press("down", "enter")
        assert isinstance(app.screen, Details)
        assert "asked for a break" in text_of(app)
        await pilot.press("escape")
        assert not isinstance(app.screen, Details)


async def test_the_table_follows_the_logs_and_the_cursor_stays(folder: StudyFolder) -> None:
    put(folder, "P02", events_of("P02", 8))
    put(folder, "P03", events_of("P03", 8))
    async with office(folder) as (app, pilot):
        await pilot.press("down")
        put(folder, "P01", events_of("P01", 8))
        put(folder, "P03")
        study_log.append(folder.log, Noted("P02", "wears glasses"))
        await looked(app, pilot)
        chosen = app.participants.chosen
        assert chosen is not None
        assert (chosen.participant, chosen.state) == ("P03", "finished")
        assert "wears glasses" in text_of(app)


async def test_a_table_that_was_drawn_too_soon_is_drawn_again(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        assert app.seen is not None
        whole, now = text_of(app), datetime.now(UTC)
        app.participants.show([], now)
        app.participants.show(app.seen.rows, now)
        text_of(app)  # before anything else happens
        await settled(app, pilot)
        assert text_of(app) == whole


async def test_a_cell_that_becomes_longer_has_room(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", 8))
    study_log.append(folder.log, Noted("P01", "short"))
    async with office(folder) as (app, pilot):
        study_log.append(folder.log, Noted("P01", "now a longer one"))
        await looked(app, pilot)
        assert "now a longer one" in text_of(app)


async def test_ids_are_found_and_the_unfinished_shown_alone(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        await pilot.press("slash", "0", "2", "enter")
        assert [*app.participants._shown] == ["P02"]
        await pilot.press("escape")
        assert len(app.participants._shown) == 7
        await pilot.press("u")
        assert [*app.participants._shown] == ["P02", "P03", "P06", "P07"]
        await pilot.press("u")
        assert len(app.participants._shown) == 7


async def test_the_cursor_is_where_it_was_when_all_are_shown_after_none(folder: StudyFolder) -> None:
    for participant in ("P01", "P02", "P03"):
        put(folder, participant)
    async with office(folder) as (app, pilot):
        await pilot.press("down")
        for there, back in ((["u"], ["u"]), (["slash", "x", "enter"], ["escape"])):
            await pilot.press(*there)
            assert app.participants.chosen is None
            await pilot.press(*back)
            assert app.participants.chosen is not None
            assert app.participants.chosen.participant == "P02"  # a note must not go to somebody else


async def test_who_was_found_among_many_stays_in_sight_when_all_are_shown(folder: StudyFolder) -> None:
    for number in range(1, 41):
        put(folder, f"P{number:02}", events_of(f"P{number:02}", 1))
    async with office(folder) as (app, pilot):
        for key in (["slash", "3", "7", "enter"], ["slash", "ctrl+u", "x", "enter"]):
            await pilot.press(*key)
            await pilot.press("escape")
            await settled(app, pilot)
            assert app.participants.chosen is not None
            assert app.participants.chosen.participant == "P37"
            assert "\n P37" in text_of(app)


async def test_ids_stay_in_sight_when_the_table_scrolls(folder: StudyFolder) -> None:
    a_full_office(folder)
    study_log.append(folder.log, Noted("P03", f"{'a long note ' * 4}with an end"))
    async with office(folder) as (app, pilot):
        await pilot.press("end")
        await settled(app, pilot)
        assert "with an end" in text_of(app)
        for number in range(1, 8):
            assert f"\n P0{number}" in text_of(app)


@pytest.mark.parametrize("size", [(40, 10), (20, 5), (200, 60)])
async def test_a_window_of_any_size_is_no_crash(folder: StudyFolder, size: tuple[int, int]) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        await pilot.resize_terminal(*size)
        for key in ("down", "enter", "escape", "question_mark", "escape", "s", "escape", "n", "escape"):
            await pilot.press(key)
        assert app.screen is app.screen_stack[0]
        assert app.participants.row_count == 7


async def test_what_can_not_be_read_is_said_and_the_office_stays(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        folder.log.write_bytes(b"nonsense\n...\n")
        folder.file.write_text("title: [")
        await looked(app, pilot)
        assert "study.log.yaml" in text_of(app).replace("\n ", "")  # a long path is wrapped
        assert "the study file has faults" in text_of(app)
        assert app.participants.row_count == 7
        await pilot.press("s")  # nobody can begin now
        assert not isinstance(app.screen, BeginDialog)


async def test_a_problem_does_not_hide_the_outcome_of_a_session(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        app.say("P01 finished. Receipt: 3a02-2c84-635b-c427")
        good = folder.log.read_bytes()
        for damaged in (True, False):
            folder.log.write_bytes(b"nonsense\n...\n" if damaged else good)
            await looked(app, pilot)
            assert ("study.log.yaml" in text_of(app).replace("\n ", "")) == damaged
            assert "3a02-2c84-635b-c427" in text_of(app)


async def test_markup_and_codes_in_names_and_notes_are_shown_as_text(folder: StudyFolder) -> None:
    put(folder, "P01")
    (folder.sessions / "a\x1b[31m[b].yaml").write_bytes(b"?")
    write(folder.path, small(models=MODELS, title="[red]A study[/]"))
    study_log.append(folder.log, Noted("P01", "[bold]seen[/bold]"))
    async with office(folder, size=(120, 40)) as (app, pilot):
        for shown in ("[red]A study[/]", "[bold]seen[/bold]", "a\\x1b[31m[b]"):
            await until(pilot, lambda shown=shown: shown in text_of(app))
        assert "╭─ a\\x1b[31m[b] · broken ─" in text_of(app)
        await pilot.press("down", "enter")
        assert "\x1b" not in text_of(app)


# --- help


def lines_of_help(text: str) -> list[str]:
    """What is between the frame's sides, line by line, without the scrollbar."""
    return [line.split("│")[1].strip(" ▁▂▃▄▅▆▇█") for line in text.split("\n") if line.count("│") == 2]


async def test_in_a_small_window_the_help_has_a_line_for_every_key(folder: StudyFolder) -> None:
    async with office(folder) as (app, pilot):
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        await settled(app, pilot)
        lines = lines_of_help(text_of(app))
        for binding, line in zip(app._own_bindings(), lines, strict=False):
            assert line.endswith(binding.tooltip)
        assert lines[len(app._own_bindings())] == "Ctrl+P  All of this, by name"
        await pilot.press("end")
        await settled(app, pilot)
        assert "until the study is unblinded." in text_of(app)
        await pilot.press("escape")
        assert not isinstance(app.screen, Help)


async def test_in_a_large_window_all_of_the_help_is_seen_at_once(folder: StudyFolder) -> None:
    async with office(folder, size=(120, 40)) as (app, pilot):
        await pilot.press("question_mark")
        await settled(app, pilot)
        shown = " ".join(text_of(app).split())
        for binding in app._own_bindings():
            assert binding.tooltip in shown
        for column in COLUMNS:
            assert f" {column.heading} {column.meaning.split()[0]} " in shown
        assert "preregister is a command only" in shown
        assert f"(kill {os.getpid()})" in shown
        assert "until the study is unblinded." in shown
        assert app.screen.query_one(VerticalScroll).max_scroll_y == 0


# --- what its keys do


@pytest.mark.parametrize(
    ("key", "arguments"),
    [
        ("v", ["verify"]),
        ("b", ["backup"]),
        ("a", ["analyse"]),
        ("c", ["check"]),
        ("t", ["export", "--force"]),
        ("h", ["rehearse", "--participants", "4"]),
    ],
)
async def test_a_key_runs_the_command_in_the_study_folder(
    folder: StudyFolder, commands: Commands, key: str, arguments: list[str]
) -> None:
    put(folder, "P01")
    commands.output = "x"
    async with office(folder) as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: commands.lines)
        assert commands.lines == [arguments]
        await until(pilot, lambda: not isinstance(app.screen, TaskScreen) or app.screen.result)
        await pilot.press("escape")
        assert app.screen is app.screen_stack[0]


async def test_a_note_is_written_by_the_command(folder: StudyFolder, commands: Commands) -> None:
    put(folder, "-7")
    async with office(folder) as (app, pilot):
        await pilot.press("n")
        assert isinstance(app.screen, LineDialog)
        await pilot.press("enter")  # an empty note is none
        await pilot.press(*"--hot", "enter")
        await until(pilot, lambda: app.screen is app.screen_stack[0])
        assert commands.lines == [["note", "--", "-7", "--hot"]]
        assert "said and done" in text_of(app)


async def test_an_exclusion_needs_a_reason_and_is_undone_with_another(
    folder: StudyFolder, commands: Commands
) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        await pilot.press("x")
        assert "Excluded because: fell asleep" in text_of(app)
        await pilot.press(*"no", "enter")
        await until(pilot, lambda: app.screen is app.screen_stack[0])
        await pilot.press("down", "x", *"-r", "enter")
        await until(pilot, lambda: len(commands.lines) == 2)
    assert commands.lines == [
        ["exclude", "--reason=no", "--undo", "--", "P01"],
        ["exclude", "--reason=-r", "--", "P02"],
    ]


async def test_a_deletion_is_confirmed_with_the_id(folder: StudyFolder, commands: Commands) -> None:
    put(folder, "P01")
    async with office(folder) as (app, pilot):
        await pilot.press("d", *"P02", "enter")
        assert "Type P01 to confirm" in text_of(app)
        await pilot.press("escape")
        assert commands.lines == []
        await pilot.press("d", *"P01", "enter")
        await until(pilot, lambda: commands.lines)
    assert commands.lines == [["delete", "--yes", "--", "P01"]]


async def test_a_deletion_shows_every_copy_that_still_has_the_answers(folder: StudyFolder) -> None:
    put(folder, "P01")
    study_log.append(
        folder.log,
        BackedUp("backups/first.zip", "0" * 64, ["P01"]),
        Exported("export", True, ["P01"]),
        Analysed("analysis", True, ["P01"]),
    )
    async with office(folder) as (app, pilot):
        await pilot.press("d", *"P01", "enter")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        await pilot.pause(0.1)
        for copy in ("backups/first.zip (a backup", "export (an export", "analysis (an analysis"):
            assert copy in text_of(app)
        await pilot.press("escape")
        assert app.screen is app.screen_stack[0]


async def test_a_brief_command_that_says_more_than_a_line_stays_until_it_was_read(
    folder: StudyFolder, commands: Commands
) -> None:
    put(folder, "P01")
    commands.output = "P01 is excluded\nthe study was already unblinded"
    async with office(folder) as (app, pilot):
        await pilot.press("x", *"asleep", "enter")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        await pilot.pause(0.1)
        assert "P01 is excluded" in text_of(app)
        assert "already unblinded" in text_of(app)


async def test_a_command_that_fails_stays_until_it_was_read(folder: StudyFolder, commands: Commands) -> None:
    put(folder, "P01")
    commands.code, commands.output = 2, "studyapp: the disk is full\x1b[2J"
    async with office(folder) as (app, pilot):
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        await pilot.pause(0.1)
        assert "the disk is full" in text_of(app)
        assert "There was an error: see above." in text_of(app)
        await pilot.press("escape")
        assert app.screen is app.screen_stack[0]


async def test_esc_stops_a_command_and_so_does_the_end_of_the_office(
    folder: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [sys.executable, "-c", "import time; print('on', flush=True); time.sleep(600)"]
    monkeypatch.setattr(task, "command_line", lambda _: waits)
    async with office(folder) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen._said)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        await pilot.pause(0.1)
        assert "Stopped." in text_of(app)
        await pilot.press("escape", "v")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen._said)
        assert isinstance(app.screen, TaskScreen)
        process = app.screen._process
        assert process is not None
        await pilot.press("ctrl+q")
    assert process.returncode is not None


async def test_a_line_without_an_end_is_shown_too(
    folder: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = [sys.executable, "-c", "print('x' * 200_000 + '\\r' + 'the end', end='')"]
    monkeypatch.setattr(task, "command_line", lambda _: says)
    async with office(folder) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        await pilot.pause(0.1)
        assert "the end" in text_of(app)


async def test_real_commands_run_from_the_office(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", 8))
    async with office(folder) as (app, pilot):
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        assert isinstance(app.screen, TaskScreen)
        assert app.screen.result is not None
        assert app.screen.result.code == 0, text_of(app)


# --- sessions


async def test_the_next_id_is_proposed_and_one_that_is_taken_is_refused(folder: StudyFolder) -> None:
    put(folder, "P01")
    study_log.append(folder.log, Noted("P02", "on the other machine"))
    async with office(folder) as (app, pilot):
        await pilot.press("s")
        assert "P03" in text_of(app)
        await pilot.press("shift+tab", "ctrl+u", *"p01", "enter")
        assert "P01 is taken. If that session is unfinished: Esc," in text_of(app)  # it goes on below
        assert isinstance(app.screen, BeginDialog)


async def test_a_password_is_typed_twice(folder: StudyFolder) -> None:
    async with office(folder) as (app, pilot):
        await pilot.press("s", *"abc", "enter", *"abd", "enter")
        assert "The two passwords are not the same." in text_of(app)
        assert isinstance(app.screen, BeginDialog)


async def test_a_closed_study_takes_nobody_new(folder: StudyFolder) -> None:
    write(folder.path, small(models=MODELS, collecting=False))
    async with office(folder) as (app, pilot):
        await pilot.press("s")
        assert not isinstance(app.screen, BeginDialog)


async def test_only_unfinished_sessions_are_resumed(folder: StudyFolder) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        await pilot.press("r")
        assert not isinstance(app.screen, BeginDialog)
        await pilot.press("down", "r")
        assert isinstance(app.screen, BeginDialog)
        assert "Resume P02" in text_of(app)


async def test_who_declined_is_shown_so_needs_nothing_and_may_think_again(folder: StudyFolder) -> None:
    put(folder, "P01", [*events_of("P01", 1), Declined(at="2026-11-18T10:00:00.000Z", clock_ms=1.0)])
    async with office(folder) as (app, pilot):
        assert "1 declined" in text_of(app)
        assert "resume (r)" not in text_of(app)
        await pilot.press("u")
        assert [*app.participants._shown] == []
        assert "Nothing is left to do with anyone. Esc shows all." in text_of(app)
        await pilot.press("u", "r")
        assert isinstance(app.screen, BeginDialog)
        assert "Resume P01" in text_of(app)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("P01", "The session of P01 is over (finished), so it can't be resumed."),
        ("P04", "The session of P04 is over (withdrawn), so it can't be resumed."),
        ("P07", "The log of P07 can't be read: verify (v) says why."),
    ],
)
async def test_why_a_session_is_not_resumed_is_said(folder: StudyFolder, state: str, said: str) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        app.participants.choose(state)
        await pilot.press("r")
        assert [notification.message for notification in app._notifications] == [said]


@pytest.mark.parametrize("participant", ["P02", "P03"])
async def test_after_a_session_the_cursor_is_on_whoever_took_part(
    folder: StudyFolder, monkeypatch: pytest.MonkeyPatch, participant: str
) -> None:
    put(folder, "P01")
    put(folder, "P02", events_of("P02", 8))

    def session(*_: object) -> int:
        put(folder, participant, events_of(participant, 9))
        return 0

    monkeypatch.setattr(office_app, "lend", session)
    async with office(folder) as (app, pilot):
        await pilot.press(*(["s"] if participant == "P03" else ["down", "r"]), "enter")
        await until(pilot, lambda: isinstance(app.screen, HandOver))
        await pilot.press("enter")
        await looked(app, pilot)
        chosen = app.participants.chosen
        assert chosen is not None
        assert chosen.participant == participant
        assert f"{participant} has not finished (" in text_of(app)
        assert "studyapp run" not in text_of(app)  # a key resumes it


@pytest.mark.parametrize("password", ["", "secret"])
async def test_no_key_but_the_password_leads_back_to_the_office(folder: StudyFolder, password: str) -> None:
    a_full_office(folder)
    async with office(folder) as (app, pilot):
        await app.push_screen(HandOver(password))
        keys = ("ctrl+q", "ctrl+c", "ctrl+z", "ctrl+p", "escape", "f1", "tab", "ctrl+d", "ctrl+backslash")
        letters = [binding.key for binding in app._own_bindings() if binding.key not in ("enter", "f1")]
        for key in (*keys, *letters, "ctrl+u", *(["x", "enter"])):
            await pilot.press(key)
        assert isinstance(app.screen, HandOver)
        assert len(app.screen_stack) == 2
        assert not app._exit
        assert "P02" not in text_of(app)
        await pilot.press("tab", "ctrl+u", *password, "enter")
        assert app.screen is app.screen_stack[0]


# --- blind


async def test_no_screen_of_the_office_names_a_model(folder: StudyFolder) -> None:
    a_full_office(folder)
    seen = []
    async with office(folder, size=(120, 40)) as (app, pilot):
        for _ in range(7):
            seen.append(text_of(app))
            await pilot.press("enter")
            assert isinstance(app.screen, Details)
            seen.append(text_of(app))
            await pilot.press("escape", "down")
        await pilot.press("home")
        for key in ("s", "n", "x", "d", "U", "question_mark", "ctrl+p"):
            await pilot.press(key)
            await pilot.pause(0.1)
            assert app.screen is not app.screen_stack[0], key
            seen.append(text_of(app))
            await pilot.press("escape")
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        await pilot.press("end")
        seen.append(text_of(app))
        await pilot.press("escape")
        folder.file.write_text(folder.file.read_text().replace("naive", "naiv"))
        await looked(app, pilot)
        assert "has faults" in text_of(app)
        seen.append(text_of(app))
    assert not REVEALING.search("\n".join(seen))


@pytest.mark.parametrize("key", ["v", "h"])
async def test_no_output_of_a_command_names_a_model(folder: StudyFolder, key: str) -> None:
    attended(folder, "P01")
    async with office(folder, size=(120, 40)) as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, TaskScreen) and app.screen.result)
        await pilot.pause(0.1)
        assert isinstance(app.screen, TaskScreen)
        assert not REVEALING.search(text_of(app))


async def test_the_palette_has_every_action(folder: StudyFolder) -> None:
    async with office(folder) as (app, _):
        titles = [command.title for command in app.get_system_commands(app.screen)]
        for binding in app._own_bindings():
            assert binding.action == "quit" or binding.tooltip in titles

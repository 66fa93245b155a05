"""Whatever files and arguments say, a terminal is sent text: no code, nothing that hides or forges a line.

``tests/injections.py`` has the attack.  Here it comes in by every way that leads to what is printed.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import warnings
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pytest
from chains import chained, edited, event_of, parts
from driving import running, study_in
from injections import ATTACK, LINE, raw_in
from rich.table import Table
from rich.text import Text
from study_files import VECTORS, loaded, run, small, write
from textual.events import Paste

from core.wording import visible
from studyapp.base import documents, parallel
from studyapp.base.console import Console
from studyapp.base.parallel import Processes
from studyapp.cli import COMMANDS, main
from studyapp.commands.run import _report
from studyapp.screens.widgets import Line

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]


def printed_by(arguments: list[str], capture: Capture) -> str:
    """What a command prints; it must not fail with a traceback."""
    with suppress(SystemExit):  # argparse's way to end
        main(arguments)
    return "".join(capture.readouterr())


def nothing_of_it(arguments: list[str], capture: Capture) -> None:
    printed = printed_by(arguments, capture)
    assert raw_in(printed) == "", arguments


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study, its words, a session and a list of words."""
    write(tmp_path, small())
    (tmp_path / "list.txt").write_text("tea\nno\n")
    run(loaded(tmp_path, small()), tmp_path / "logs")
    (tmp_path / "logs" / "words.txt").write_text(VECTORS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parallel, "cores", lambda: 1)  # starting processes takes longer
    return tmp_path


# Arguments


def options_of(command: str) -> list[str]:
    with redirect_stdout(io.StringIO()) as text, suppress(SystemExit):
        main([*command.split(), "--help"])
    return sorted(set(re.findall(r"--[a-z-]+", text.getvalue())) - {"--help", "--scheduler"})


# A number that is none, so that a command which would compute for long ends at once.
STOP = {"rehearse": "--participants=x", "power": "--level=x", "simulate": "--seed=x", "reproduce": "--seed=x"}


@pytest.mark.usefixtures("here")
def test_no_argument_comes_through(capsys: Capture) -> None:
    for command in [*COMMANDS, "words build", "people fit"]:
        stop = [STOP[command]] if command in STOP else []
        for option in [*options_of(command), ""]:
            for given in (ATTACK, f"--{ATTACK}"):
                nothing_of_it([*command.split(), *filter(None, [option]), given, *stop], capsys)
    for arguments in ([ATTACK], [f"-{ATTACK}"], [f"--{ATTACK}"], ["check", "a", ATTACK]):
        printed = printed_by(arguments, capsys)
        assert "\\x1b]52" in printed  # with escapes that can be read
        assert raw_in(printed) == ""


WRITING = (
    ["words", "build", "--vectors", "words.txt", "--words", "list.txt", "--out", f"{ATTACK}.txt"],
    ["rehearse", "--study", "study.yaml", "--participants", "1", "--sessions", ATTACK],
    ["new", ATTACK],
    ["export", "logs", "--out", ATTACK],
)


@pytest.mark.usefixtures("here")
def test_the_name_of_a_result_is_shown_with_escapes(capsys: Capture) -> None:
    for arguments in WRITING:
        printed = printed_by(arguments, capsys)
        assert visible(ATTACK) in printed
        assert raw_in(printed) == "", arguments


# Study files


def asking(**item: Any) -> dict[str, Any]:
    return {"questionnaires": {"q": [{"id": "a", "kind": "text", "ask": "?"} | item]}}


STUDIES: tuple[dict[str, Any], ...] = (
    {ATTACK: 1, f"b{ATTACK}": 2},
    {"pace": {ATTACK: 1}},
    {"models": {ATTACK: {"teacher": "naive"}, "b": {"teacher": "naive"}}},
    {"models": {"a": {ATTACK: 1}, "b": {"teacher": ATTACK}}},
    {"questionnaires": {ATTACK: []}},
    *(asking(**{name: ATTACK}) for name in ("id", "kind", ATTACK)),
    asking(ask=ATTACK, least=ATTACK),
    *({name: [ATTACK]} for name in ("at_end", "targets", "practice")),
    *({name: ATTACK} for name in ("title", "words", "targets", "order", "consent", "seed")),
    {"words": f"{ATTACK}.txt"},
    {"answers": {"yes": ATTACK}},
    {"consent": "{" + ATTACK + "}"},
    {"consent": "{rounds:" + ATTACK + "}"},
    {"texts": {"ask": ATTACK, ATTACK: "x"}},
)


def test_nothing_in_a_study_comes_through(tmp_path: Path, capsys: Capture) -> None:
    for changes in STUDIES:
        study = write(tmp_path, small(**changes))
        for command in (["check"], ["check", "--texts"], ["rehearse", "--study"]):
            assert main([*command, str(study)]) == 2, changes
            assert raw_in("".join(capsys.readouterr())) == "", changes


def test_several_faults_stay_on_lines_of_their_own(tmp_path: Path, capsys: Capture) -> None:
    study = write(tmp_path, small(**{f"one\n  line 7: {LINE}": 1, "two": 2}))
    assert main(["check", str(study)]) == 2
    head, *faults = capsys.readouterr().err.splitlines()
    assert head.endswith(": there are 2 faults:")
    assert len(faults) == 2
    assert all(re.match(r"  line \d+: there is no setting ", fault) for fault in faults)


# Files of any kind that hold nothing but the attack

RAW = ATTACK.encode("utf-8", "surrogatepass")
CONTENTS = (
    RAW,
    b"\n".join([RAW] * 3),
    b"title: !" + RAW.replace(b"\n", b"") + b" x\n",
    documents.block({"title": ATTACK, ATTACK: ATTACK}).encode(),
    b'"' + RAW + b'",' + RAW.replace(b"\n", b"") + b"\n1,2\n3,x\n",
    RAW.replace(b"\n", b"") + b" 1 2\nno 3 4\ntea 1 1\n",
    json.dumps({"schema": ATTACK, "design": {ATTACK: ATTACK}, ATTACK: 1}).encode() + b"\n",
    b"---\nevent: session\nschema: " + RAW[:19].replace(b"\n", b"") + b"\n...\n",
    b"\x93NUMPY\x01\x00" + len(RAW).to_bytes(2, "little") + RAW,
)
FILES = """
    check bad.yaml                                           | bad.yaml
    check study.yaml                                         | words.txt
    verify bad.yaml                                          | bad.yaml
    analyse bad                                              | bad/P01.yaml
    export bad --out out                                     | bad/P01.yaml
    status                                                   | study.log.yaml
    note P01 slept                                           | study.log.yaml
    delete P07 --yes                                         | sessions/P07.yaml
    import bad.csv --study study.yaml                        | bad.csv
    words build --vectors words.txt --words bad.txt --out o.txt | bad.txt
    words build --vectors bad.txt --words list.txt --out o.txt | bad.txt
    simulate --data bad.csv                                  | bad.csv
    simulate --data bad.npy                                  | bad.npy
    reproduce --redraw --out .                               | results/main.converged/bad.json
"""


def test_nothing_in_any_file_comes_through(here: Path, capsys: Capture) -> None:
    for line in FILES.strip().splitlines():
        command, name = line.split("|")
        file = here / name.strip()
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_bytes() if file.exists() else None
        for content in CONTENTS:
            file.write_bytes(content)
            nothing_of_it(command.split(), capsys)
        if before is None:
            file.unlink(missing_ok=True)  # delete has done so
        else:
            file.write_bytes(before)


# Logs, with a chain computed anew


def forged_logs(raw: bytes) -> list[bytes]:
    """A log with the attack in one place: in its head, and in each field of each kind of event."""
    head, *events = parts(raw)
    attack = documents.flow(ATTACK).encode()
    texts = (b"A small study", b"words.txt", b"plain", b"tea", b"random", b"tired")
    forged = [chained([head.replace(text, attack), *events]) for text in texts]
    for number in {event_of(event)["event"]: number for number, event in enumerate(events, 1)}.values():
        for name in (*event_of(parts(raw)[number]), ATTACK):
            forged.append(edited(raw, number, **{name: ATTACK}))
    return forged


def test_nothing_of_a_log_and_not_its_name_comes_through(here: Path, capsys: Capture) -> None:
    logs = here / "logs"
    raw = (logs / "P01.yaml").read_bytes()
    forged = forged_logs(raw)
    assert len(forged) > 50
    for number, content in enumerate(forged):
        (logs / f"forged-{number}.yaml").write_bytes(content)
    (logs / f"{ATTACK}.yaml").write_bytes(raw)
    (logs / f"torn{ATTACK}.yaml").write_bytes(raw[:99] + b"\n...\n")
    for command in (
        ["verify", str(logs)],
        ["status", str(logs)],
        ["export", str(logs), "--out", "out"],
        ["analyse", str(logs), "--include", "simulated", "incomplete"],
    ):
        printed = printed_by(command, capsys)
        assert printed
        assert raw_in(printed) == "", command
    assert raw_in(Path("analysis/report.html").read_text(encoding="utf-8").replace(LINE, "")) == ""


# Screens


async def test_no_line_of_a_screen_and_nothing_that_is_pasted_comes_through(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, participant=None, size=(100, 30)) as person:
        page = person.app.screen
        page.query_one("#title", Line).update(ATTACK)
        page.note(ATTACK)  # type: ignore[attr-defined]
        page.query_one("#entry").post_message(Paste(f"P7{ATTACK}"))
        await person.handled()
        shown = person.text()
        assert "\\x1b]52" in shown
        assert "P7a]52;c;" in shown  # what is typed has no place for escapes: the rest is left out
        assert raw_in(shown.replace(LINE, "")) == ""
        assert await person.app.screen.mount(Line(ATTACK)) is None
        await person.handled()
        assert raw_in(person.text().replace(LINE, "")) == ""


# What prints besides the commands


def test_no_traceback_warning_or_log_of_a_library_comes_through() -> None:
    program = f"""
import logging, sys, threading, warnings
from studyapp.cli import main
main(["--version"])
attack = {ATTACK!r}
warnings.warn(attack)
logging.warning(attack)
print(attack, file=sys.stderr)
thread = threading.Thread(target=lambda: 1 / 0, name=attack)
thread.start(); thread.join()
raise ValueError(attack)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False)
    printed = done.stderr.decode()
    assert printed.count("\\x1b]52") == 5
    assert raw_in(printed.replace(LINE, "")) == ""  # their lines are their own


@pytest.mark.prove
def test_no_warning_in_another_process_comes_through(capfd: Capture) -> None:
    with Processes(1) as pool:
        pool.submit(warnings.warn, ATTACK).result()
    printed = capfd.readouterr().err
    assert "\\x1b]52" in printed
    assert raw_in(printed.replace(LINE, "")) == ""


def test_a_fault_report_is_text(tmp_path: Path) -> None:
    report = _report(ValueError(ATTACK), tmp_path)
    assert raw_in(report.read_text(encoding="utf-8").replace(LINE, "")) == ""


def test_a_table_has_its_own_style_and_not_that_of_its_cells(capsys: Capture) -> None:
    table = Table(title=ATTACK, box=None, header_style="bold")
    table.add_column(f"[red]{ATTACK}")
    table.add_row(ATTACK, ":smile: [link=http://x]y[/link]")
    console = Console(force_terminal=True, color_system="truecolor", width=2000)
    console.print(table)
    console.print(Text(ATTACK, style="red"))
    printed = capsys.readouterr().out
    assert "\x1b[1m" in printed
    assert "\x1b[31m" in printed
    assert ":smile: [link=http://x]y[/link]" in printed
    assert raw_in(re.sub(r"\x1b\[[0-9;]*m", "", printed.replace(LINE, ""))) == ""
    assert "\x1b]52" not in printed


# The rule

PRINTERS = {ROOT / "studyapp" / "base" / name for name in ("terminal.py", "console.py")}
SCRIPTS = {ROOT / "words" / "extract.py"}


def test_no_other_module_prints() -> None:
    modules = [path for package in ("core", "studyapp", "words") for path in (ROOT / package).rglob("*.py")]
    assert set(modules) >= PRINTERS | SCRIPTS
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
        for path in sorted({*modules} - PRINTERS - SCRIPTS)
        if "pictures" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _prints(node)
    ]
    assert found == []


def _prints(node: ast.AST) -> bool:
    """Is this a stream of Python's, print, or a console of Rich?"""
    match node:
        case ast.Name(id="print" | "input" | "breakpoint"):
            return True
        case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr" | "__stdout__" | "__stderr__"):
            return True
        case ast.ImportFrom(module="rich" | "rich.console" | "rich.progress" | "rich.live"):
            return True
        case ast.Call(func=ast.Attribute(attr="ArgumentParser")):
            return True
    return False

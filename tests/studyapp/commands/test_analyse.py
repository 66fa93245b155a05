"""``studyapp analyse``: what it writes and what it prints."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from made_up import answer_table, imported, quick_analysis, sessions_of_every_kind

from studyapp.analysis import summary
from studyapp.analysis.figures import FIGURES
from studyapp.analysis.gather import gather
from studyapp.analysis.results import analyse
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Responded
from studyapp.session.log_format import encode

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@dataclass(frozen=True)
class Analysis:
    """The output of one run of the command."""

    out: Path
    printed: str
    warnings: str

    @property
    def report(self) -> str:
        return (self.out / "report.html").read_text()

    def files(self) -> dict[str, bytes]:
        paths = sorted(path for path in self.out.rglob("*") if path.is_file())
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in paths}

    def rows(self, table: str) -> list[dict[str, str]]:
        with (self.out / "data" / f"{table}.csv").open(newline="") as file:
            return list(csv.DictReader(file))


def analysed(sessions: Path, out: Path) -> Analysis:
    with (
        quick_analysis(),
        redirect_stdout(io.StringIO()) as printed,
        redirect_stderr(io.StringIO()) as warnings,
    ):
        assert main(["analyse", str(sessions), "--out", str(out)]) == 0
    return Analysis(out, printed.getvalue(), warnings.getvalue())


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of every kind, with everything in them that could harm a report."""
    folder = sessions_of_every_kind(tmp_path_factory.mktemp("every-kind"), title=HOSTILE)
    events = log.read(folder / "person.yaml").events
    changed = [
        Responded(**vars(event) | {"value": HOSTILE}) if getattr(event, "item", "") == "remarks" else event
        for event in events
    ]
    assert changed != events
    (folder / "person.yaml").write_bytes(encode(changed))
    (folder / "<b>.yaml").write_text("no log\n...\n")
    (folder / "bad\udcff.yaml").write_text("nothing\n...\n")  # its name is not valid text
    return folder


@pytest.fixture(scope="module")
def of_every_kind(logs: Path) -> Analysis:
    """One person's session is included."""
    return analysed(logs, logs.parent / "analysis")


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("imported"), answer_table(3, ["tea", "salt"], 15, 5))


@pytest.fixture(scope="module")
def of_imported(
    sessions: Path, of_every_kind: Analysis, tmp_path_factory: pytest.TempPathFactory
) -> Analysis:
    """Imported sessions, in a folder where other sessions were analysed before."""
    out = tmp_path_factory.mktemp("again") / "analysis"
    shutil.copytree(of_every_kind.out, out)
    return analysed(sessions, out)


# What is written


def test_the_summary_has_the_results_of_the_sessions(sessions: Path, of_imported: Analysis) -> None:
    with quick_analysis():
        expected = summary.as_json(analyse(gather(sessions)))
    assert json.loads(of_imported.files()["summary.json"]) == expected


def test_the_same_sessions_give_the_same_files_byte_by_byte(
    sessions: Path, of_imported: Analysis, tmp_path: Path
) -> None:
    first, second = of_imported.files(), analysed(sessions, tmp_path / "out").files()
    assert first == second
    assert {"report.html", "summary.json", "figures/main.svg"} <= first.keys()
    assert {"data/answers.csv", "data/rounds.csv", "data/participants.csv"} <= first.keys()


def test_a_second_analysis_leaves_nothing_of_the_first(
    of_every_kind: Analysis, of_imported: Analysis
) -> None:
    of_questionnaires = {"figures/survey.svg", "data/responses.csv"}
    assert of_questionnaires <= of_every_kind.files().keys()
    assert not of_questionnaires & of_imported.files().keys()


def test_results_can_be_read_by_their_owner_only(of_every_kind: Analysis) -> None:
    assert of_every_kind.out.stat().st_mode & 0o077 == 0


def test_the_tables_have_the_sessions_that_were_analysed(of_every_kind: Analysis) -> None:
    assert [row["log"] for row in of_every_kind.rows("participants")] == ["person.yaml"]
    assert len(of_every_kind.rows("answers")) == 12


def test_the_report_shows_every_figure_that_was_drawn(of_every_kind: Analysis, of_imported: Analysis) -> None:
    shown = set()
    for analysis in (of_every_kind, of_imported):
        drawn = {path.stem for path in (analysis.out / "figures").glob("*.svg")}
        assert set(re.findall(r'<figure id="figure-([^"]*)">', analysis.report)) == drawn
        shown |= drawn
    assert shown == set(FIGURES.names)


def test_the_report_escapes_whatever_text_a_log_contains(of_every_kind: Analysis) -> None:
    report = of_every_kind.report
    assert "<script" not in report
    assert "<img src=x" not in report
    assert report.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3  # the title twice, and the remark
    assert "&lt;b&gt;.yaml" in report
    assert re.findall(r'(?:src|href)="(?!data:image/svg|#)', report) == []


# What is printed


def test_logs_that_are_not_included_are_listed_and_broken_ones_also_give_a_warning(
    logs: Path, of_every_kind: Analysis
) -> None:
    assert of_every_kind.warnings.count("\n") == 5
    assert f"studyapp: {logs / 'broken.yaml'}, line " in of_every_kind.warnings
    printed = of_every_kind.printed
    assert "\nnot included: sim1.yaml: simulated (to include it: --include simulated)\n" in printed
    assert printed.endswith(f"Analysed 1 session. Report: {of_every_kind.out / 'report.html'}\n")


def test_notes_are_printed_and_are_in_the_report(of_every_kind: Analysis, of_imported: Analysis) -> None:
    for analysis, note in (
        (of_imported, "In 180 answers, the reward is not the similarity of the word to the target."),
        (of_imported, "Imported sessions were run elsewhere"),
        (of_every_kind, "With one participant there are no tests and no intervals."),
        (of_every_kind, "5 of the 13 logs could not be read"),
    ):
        assert f"\n{note}" in analysis.printed
        assert f'<p class="note">{note}' in analysis.report


def test_the_terminal_shows_a_plot_and_a_table_within_80_columns(of_imported: Analysis) -> None:
    lines = of_imported.printed.splitlines()
    lines = lines[: next(i for i, line in enumerate(lines) if line.startswith("15 ")) + 1]
    assert max(map(len, lines)) <= 80
    assert sum("│" in line for line in lines) == 12
    assert [line.split()[0] for line in lines if line[:3].strip().isdigit()] == [str(q) for q in range(1, 16)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--exclude", "sim3"], "no session here has this participant (did you mean 'sim"),
        (["--out", "FILE"], "notes.yaml: "),
        (["--words", "nowhere.txt"], "nowhere.txt: "),
    ],
)
def test_a_wrong_argument_ends_with_2_and_one_message(
    logs: Path, tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(logs / "notes.yaml") if option == "FILE" else option for option in options]
    out = [] if "--out" in options else ["--out", str(tmp_path / "out")]
    with quick_analysis():
        assert main(["analyse", str(logs), *out, *given]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_if_nothing_can_be_analysed_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text("nothing\n...\n")
    assert main(["analyse", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "none of the sessions here can be analysed:\n  a.yaml: " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

"""Until a study is unblinded, nothing that its commands write or print tells which model is which."""

from __future__ import annotations

import base64
import csv
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up import quick_analysis
from study_files import Settings, loaded, open_sitting, run, small, write
from study_folders import as_person

from studyapp.cli import main
from studyapp.office import study_log
from studyapp.office.conduct import read_conduct
from studyapp.office.events import Analysed, Excluded, Exported, Included, Noted, StudyEvent, Unblinded
from studyapp.session import log
from studyapp.session.blinding import blind_labels
from studyapp.session.events import Declined, Started, Withdrawn
from studyapp.session.log_format import encode
from studyapp.session.saved import open_session
from studyapp.study.loading import load
from studyapp.study.study import Study

# Names that nothing else contains, and one model of every kind.
MODELS: Settings = {
    "zebra": {"teacher": "naive"},
    "yakmodel": {"teacher": "mixture", "beta": 13.748291},
    "gnukind": {"teacher": "planning", "selection": "thompson"},
    "emuteach": {"teacher": "person", "belief": "targets", "selection": "explore-first"},
}
# No output may have any of these.  (The teacher "person" can't be told from the person who answers.)
REVEALING = (
    *(*MODELS, "naive", "mixture", "planning", "bayes-ucb", "thompson", "explore", "13.748291"),
    *('"alpha"', "log_likelihood"),
)
LABELS = ["A", "B", "C", "D"]


def unfinish(path: Path, events: int) -> None:
    path.write_bytes(encode(log.read(path).events[:events]))


def erase(path: Path) -> None:
    """What deletion on request leaves of a log."""
    head, *rest = log.read(path).events
    end = replace(rest[-1], clock_ms=rest[-1].clock_ms)
    gone = Withdrawn("deleted", 4, end.at, by="experimenter", clock_ms=end.clock_ms)  # type: ignore[union-attr]
    path.write_bytes(encode([head, gone]))


def study_folder(folder: Path, **changes: Any) -> Path:
    """A study folder with people who finished, left, withdrew, asked for deletion or piloted."""
    settings = small(blind=True, models=MODELS) | changes
    study = loaded(folder, settings)
    sessions = folder / "sessions"
    for participant in ("P01", "P02", "P03", "P04", "P05", "P06"):
        run(study, sessions, participant)
        as_person(sessions / f"{participant}.yaml", pilot=participant == "P06")
    unfinish(sessions / "P04.yaml", 20)
    erase(sessions / "P05.yaml")
    sitting = open_sitting(study, sessions, "P07")
    sitting.withdraw(delete=False)
    sitting.close()
    as_person(sessions / "P07.yaml")
    shutil.copy(folder / "words.txt", sessions / "words.txt")
    return folder


def record(folder: Path, *events: StudyEvent) -> None:
    study_log.append(folder / "study.log.yaml", *events)


def set_in_study(folder: Path, **changes: Any) -> None:
    settings = small(blind=True, models=MODELS)
    write(folder, settings | changes)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study_folder(tmp_path_factory.mktemp("made") / "lab")


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder: a blind study that is collecting."""
    copy = tmp_path / "lab"
    shutil.copytree(made, copy)
    monkeypatch.chdir(copy)
    with quick_analysis():
        yield copy


def contents(out: Path) -> Iterator[tuple[str, str]]:
    """Every file, and what is in it; also the images in a page."""
    for path in sorted(out.rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            yield str(path.relative_to(out)), text
            for number, image in enumerate(re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", text)):
                yield f"{path.name} image {number}", base64.b64decode(image).decode()


def check_blind(printed: str, out: Path | None = None) -> None:
    found = [] if out is None else list(contents(out))
    for name, text in [("printed", printed), *found]:
        for word in REVEALING:
            assert word not in name.lower(), name
            place = text.lower().find(word)
            assert place < 0, f"{name}: {text[max(0, place - 100) : place + 100]}"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == code
    captured = capsys.readouterr()
    return captured.out + captured.err


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return found


def page(out: Path) -> str:
    return (out / "report.html").read_text()


def rows(out: Path, table: str) -> list[dict[str, str]]:
    (path,) = (out / "data").glob(f"*{table}*.csv")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# The labels


def test_labels_are_a_draw_of_the_studys_own(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(models=MODELS)).study
    labels = blind_labels(study)
    assert sorted(labels) == sorted(MODELS)
    assert sorted(labels.values()) == LABELS
    assert blind_labels(study) == labels
    turned = Study.model_validate(study.model_dump() | {"models": dict(reversed(MODELS.items()))})
    assert blind_labels(turned) == labels  # the order in the file tells nothing
    seeds = [study.model_copy(update={"seed": seed}) for seed in range(50)]
    assert {blind_labels(other)["zebra"] for other in seeds} == set(LABELS)


def test_no_model_is_called_by_the_name_of_another(tmp_path: Path) -> None:
    models = {"A": {}, "b": {"teacher": "naive"}}
    assert sorted(blind_labels(loaded(tmp_path, small(models=models)).study).values()) == ["C", "D"]


# While a study collects


def test_while_a_study_collects_its_analysis_tells_the_quality_of_the_data_and_no_outcome(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "analysis"
    printed = said(capsys, "analyse")
    check_blind(printed, out)
    found = summary(out)
    assert found["models"] == LABELS
    assert found["participants"] == 3
    assert not found.keys() & {"curves", "paired_t", "comparisons", "pairs", "found", "main_result", "survey"}
    assert found["withheld"] in page(out)
    assert found["withheld"].replace(" ", "") in re.sub(r"\s", "", printed)
    assert {name: own["rounds"] for name, own in found["quality"]["by_model"].items()} == dict.fromkeys(
        LABELS, 6
    )
    assert [own["participant"] for own in found["quality"]["by_participant"]] == ["P01", "P02", "P03"]
    assert {own["missing"] for own in found["quality"]["by_participant"]} == {0}
    assert not [path for path in out.rglob("*") if path.suffix in (".svg", ".csv", ".pdf")]
    for heading in ("Late questions", "Time to answer", "Stray keys", "repeated", "missing rounds"):
        assert heading in page(out)
    assert "reward" not in page(out)


def test_what_an_earlier_analysis_told_of_outcomes_is_removed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_in_study(folder, collecting=False)
    said(capsys, "analyse", "--pdf")
    assert list((folder / "analysis").rglob("*.pdf"))
    set_in_study(folder, collecting=True)
    said(capsys, "analyse")
    assert not [path for path in (folder / "analysis").rglob("*") if path.suffix in (".svg", ".csv", ".pdf")]


# After that, and elsewhere


def test_when_a_study_no_longer_collects_models_are_compared_by_label(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_in_study(folder, collecting=False)
    out = folder / "analysis"
    check_blind(said(capsys, "analyse"), out)
    found = summary(out)
    assert found["models"] == LABELS
    assert sorted(found["curves"]) == [*LABELS, "random"]
    assert len(found["comparisons"]) == 6
    assert found["conduct"]["blind"] is True
    assert {row["model"] for row in rows(out, "answers")} == set(LABELS)
    assert "This analysis is blind" in page(out)


def test_labels_stand_for_the_same_models_in_an_analysis_as_in_an_export(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_in_study(folder, collecting=False)
    labels = blind_labels(load(str(folder / "study.yaml")).study)
    said(capsys, "analyse")
    blind = summary(folder / "analysis")
    said(capsys, "export")
    exported = {(row["participant"], row["round"]): row["model"] for row in rows(folder / "export", "rounds")}
    record(folder, Unblinded("done", 3, 1))
    said(capsys, "analyse")
    named = summary(folder / "analysis")
    for name, label in labels.items():
        assert blind["curves"][label] == pytest.approx(named["curves"][name])
    opened = open_session(folder / "sessions" / "P01.yaml")
    for round_ in opened.session.plan:
        assert exported["P01", str(round_.round)] == labels[round_.model]


def test_an_export_is_blind_in_all_its_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "export"
    check_blind(said(capsys, "export"), out)
    assert {row["model"] for row in rows(out, "rounds")} == set(LABELS)
    assert {row["seed"] for row in rows(out, "participants")} == {""}
    for name in ("compute_ms", "digest", "converged"):
        assert {row[name] for row in rows(out, "answers")} == {""}
    assert {f"reward_{label}" for label in LABELS} <= set(rows(out, "wide")[0])
    assert len(rows(out, "answers")) == sum(int(row["answers"]) for row in rows(out, "participants"))
    assert "This export is blind" in (out / "README.md").read_text()


@pytest.mark.parametrize("command", ["analyse", "export"])
@pytest.mark.parametrize("place", ["lab", "lab/sessions", "lab/sessions/P01.yaml", "link", "lab/copies"])
def test_sessions_of_a_blind_study_are_blind_from_anywhere(
    command: str,
    place: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder.parent)
    (folder.parent / "link").symlink_to(folder / "sessions")
    shutil.copytree(folder / "sessions", folder / "copies")
    check_blind(said(capsys, command, place, "--out", "out"), folder.parent / "out")


@pytest.mark.parametrize("command", ["analyse", "export"])
def test_blind_can_be_asked_for_anywhere(
    command: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(folder / "sessions", elsewhere)
    out = tmp_path / "out"
    check_blind(said(capsys, command, str(elsewhere), "--blind", "--out", str(out)), out)
    said(capsys, command, str(elsewhere), "--out", str(tmp_path / "named"))  # a copy is in no study folder
    text = "".join(text for _, text in contents(tmp_path / "named"))
    assert "zebra" in text


def test_broken_logs_are_reported_without_a_models_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started, *rest = log.read(folder / "sessions" / "P01.yaml").events
    assert isinstance(started, Started)
    plan = [replace(started.plan[0], model="zebra2"), *started.plan[1:]]
    for name, head in (
        ("P08", replace(started, participant="P08", plan=plan)),
        ("P09", replace(started, participant="P09", study=_too_large(started.study))),
        ("P10", replace(started, participant="P10", study=started.study | {"models": {"zebra": {}}})),
    ):
        (folder / "sessions" / f"{name}.yaml").write_bytes(encode([head, *rest]))
    printed = said(capsys, "analyse")
    assert "P08.yaml" in printed
    check_blind(printed, folder / "analysis")
    check_blind(said(capsys, "export", code=1), folder / "export")
    check_blind(said(capsys, "verify", code=2))
    check_blind(said(capsys, "status"))


def _too_large(study: dict[str, Any]) -> dict[str, Any]:
    models = {name: dict(settings) for name, settings in study["models"].items()}
    models["yakmodel"] |= {"samples": 100_000, "horizon": 8}
    return study | {"models": models}


def test_sessions_whose_labels_mean_other_models_are_not_put_together(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = load(str(folder / "study.yaml")).study
    seed = next(
        seed
        for seed in range(100)
        if blind_labels(mine.model_copy(update={"seed": seed})) != blind_labels(mine)
    )
    other = tmp_path / "other"
    study = loaded(other, small(models=MODELS, seed=seed))
    run(study, other / "sessions", "Q01")
    as_person(other / "sessions" / "Q01.yaml")
    places = [str(folder), str(other / "sessions")]
    printed = said(capsys, "analyse", *places)
    assert "Q01.yaml: belongs to a different study than most sessions here (it differs in: models)" in printed
    printed = said(capsys, "export", *places, "--out", "both", code=2)
    assert "the same label would mean different models" in printed
    check_blind(printed)
    assert not (folder / "both").exists()


# Other commands


def test_power_refuses_the_sessions_of_a_blind_study(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["power", "sessions"], ["power", "."]):
        printed = said(capsys, *arguments, code=2)
        assert "this study is blind" in printed
        check_blind(printed)
    run(load(str(folder / "study.yaml")), folder / "rehearsal", "P01")
    run(load(str(folder / "study.yaml")), folder / "rehearsal", "P02")
    assert "zebra" in said(capsys, "power", "rehearsal")  # simulated participants tell nothing of people
    record(folder, Unblinded("done", 3, 1))
    assert "zebra" in said(capsys, "power", "sessions")


def test_rehearsals_of_a_blind_study_are_compared_by_label_even_while_it_collects(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for participant in ("P01", "P02"):
        run(load(str(folder / "study.yaml")), folder / "rehearsal", participant)
    check_blind(said(capsys, "analyse", "rehearsal", "--out", "trial"), folder / "trial")
    assert sorted(summary(folder / "trial")["curves"]) == [*LABELS, "random"]
    assert not any(isinstance(event, Analysed) for event in study_log.read(folder / "study.log.yaml"))


def test_verify_names_no_model_of_imported_sessions_in_a_blind_study(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(folder / "sessions", elsewhere)
    said(capsys, "export", str(elsewhere), "--only", "person", "--out", str(tmp_path / "out"))
    for log_ in (folder / "sessions").glob("*.yaml"):
        log_.unlink()
    answers = [row for row in rows(tmp_path / "out", "answers") if row["participant"] == "P01"]
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(answers[0]))
        writer.writeheader()
        writer.writerows(answers)
    said(capsys, "import", str(tmp_path / "answers.csv"), "--study", "study.yaml", "--sessions", "sessions")
    check_blind(said(capsys, "verify"))
    check_blind(said(capsys, "verify", "--json"))
    record(folder, Unblinded("done", 1, 0))
    assert "zebra" in said(capsys, "verify")


# Unblinding


def test_unblinding_is_confirmed_and_recorded_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = said(capsys, "unblind", "--reason", "all are in", code=2)
    assert "add --yes" in printed
    assert read_conduct(folder / "study.log.yaml").unblinded is None
    printed = said(capsys, "unblind", "--reason", "all are in", "--yes")
    assert "3 sessions finished; 1 unfinished." in printed
    assert "the study is still collecting" in printed
    assert "P04 may still finish after this" in printed
    check_blind(printed)
    unblinded = read_conduct(folder / "study.log.yaml").unblinded
    assert unblinded is not None
    assert (unblinded.reason, unblinded.finished, unblinded.unfinished) == ("all are in", 3, 1)
    assert "already unblinded on" in said(capsys, "unblind", "--reason", "again", "--yes")
    events = study_log.read(folder / "study.log.yaml")
    assert [event.event for event in events] == ["study", "unblind"]


def test_a_study_that_is_not_blind_is_not_unblinded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for changes in ({"blind": False}, {"blind": None}):
        set_in_study(folder, **changes)
        printed = said(capsys, "unblind", "--reason", "all are in", "--yes", code=2)
        assert printed.count("\n") == 1
        assert "study.yaml: blind is not true, so this study has no blind part to end" in printed
        assert not (folder / "study.log.yaml").exists()


def test_the_unblinding_warns_of_those_who_may_still_finish_and_of_nobody_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unfinish(folder / "sessions" / "P02.yaml", 1)
    started = log.read(folder / "sessions" / "P02.yaml").events
    declined = [*started, Declined(at=started[0].at, clock_ms=1.0)]  # type: ignore[union-attr]
    (folder / "sessions" / "P02.yaml").write_bytes(encode(declined))
    printed = said(capsys, "unblind", "--reason", "x", code=2)
    assert "2 sessions finished; 1 unfinished." in printed
    assert "Warning: P04 may still finish after this." in printed
    set_in_study(folder, resume={"allowed": False})
    printed = said(capsys, "unblind", "--reason", "x", "--yes")
    assert "2 sessions finished; 1 unfinished." in printed
    assert "may still finish" not in printed
    unblinded = read_conduct(folder / "study.log.yaml").unblinded
    assert unblinded is not None
    assert (unblinded.finished, unblinded.unfinished) == (2, 1)


def test_unblinding_needs_a_study_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder.parent)
    assert "this folder is not a study folder" in said(capsys, "unblind", "--reason", "x", "--yes", code=2)
    said(capsys, "unblind", "--reason", "x", "--yes", "--in", "lab")
    assert read_conduct(folder / "study.log.yaml").unblinded


def test_after_unblinding_models_have_their_names_and_the_report_says_when(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "unblind", "--reason", "all are in", "--yes")
    printed = said(capsys, "analyse")
    found = summary(folder / "analysis")
    assert found["models"] == sorted(MODELS)
    assert found["conduct"]["blind"] is False
    told = found["conduct"]["unblinded"]
    assert (told["reason"], told["finished"], told["unfinished"]) == ("all are in", 3, 1)
    assert "when 3 sessions had finished and 1 had not;" in page(folder / "analysis")
    assert "Reason: “all are in”." in printed
    said(capsys, "export")
    assert {row["model"] for row in rows(folder / "export", "rounds")} == set(MODELS)


def test_sessions_that_finished_after_the_unblinding_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for year, later, words in (
        (2020, 3, "3 sessions of this analysis"),
        (2999, 0, "no session of this analysis"),
    ):
        (folder / "study.log.yaml").unlink(missing_ok=True)
        record(folder, replace(Unblinded("now", 0, 3), at=f"{year}-01-01T00:00:00.000Z"))
        said(capsys, "analyse")
        assert summary(folder / "analysis")["conduct"]["unblinded"]["finished_later"] == later
        assert f"{words} finished after that" in page(folder / "analysis")


def test_of_a_study_that_was_never_blind_the_report_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_in_study(folder, blind=False)
    said(capsys, "analyse")
    assert summary(folder / "analysis")["models"] == sorted(MODELS)
    assert "The study was not blind" in page(folder / "analysis")


# What the experimenter decided


def test_whom_the_experimenter_excluded_is_left_out_with_the_reason_and_when(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(folder, Excluded("P02", "fell asleep", unblinded=False))
    record(
        folder, Excluded("P03", "a mistake", unblinded=False), Included("P03", "was awake", unblinded=False)
    )
    printed = said(capsys, "analyse")
    assert "not included: P02.yaml: excluded by the experimenter: fell asleep" in printed
    found = summary(folder / "analysis")
    assert found["participants"] == 2
    (one, undone) = found["conduct"]["excluded"]
    assert (one["participant"], one["reason"], one["undone"]) == ("P02", "fell asleep", False)
    assert (undone["participant"], undone["undone"], undone["after_unblinding"]) == ("P03", True, False)
    assert [again["participant"] for again in found["conduct"]["included_again"]] == ["P03"]
    assert [(gone["participant"], gone["by"]) for gone in found["conduct"]["deleted"]] == [
        ("P05", "experimenter")
    ]
    text = page(folder / "analysis")
    for part in ("fell asleep", "excluded (no longer)", "included again", "deleted on request", "1 pilot"):
        assert part in text
    record(folder, Unblinded("done", 3, 1), Excluded("P03", "odd results", unblinded=True))
    printed = said(capsys, "analyse")
    assert "P02.yaml: excluded by the experimenter before the unblinding: fell asleep" in printed
    assert "P03.yaml: excluded by the experimenter after the unblinding: odd results" in printed
    assert "1 “odd results” (after the unblinding)" in page(folder / "analysis")


def test_an_export_keeps_excluded_participants_and_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(folder, Excluded("P02", "fell asleep", unblinded=False), Noted("P01", "came late"))
    said(capsys, "export")
    by_id = {row["participant"]: row for row in rows(folder / "export", "participants")}
    assert (by_id["P01"]["excluded"], by_id["P01"]["exclusion_reason"]) == ("FALSE", "")
    assert (by_id["P02"]["excluded"], by_id["P02"]["exclusion_reason"]) == ("TRUE", "fell asleep")
    assert by_id["P02"]["excluded_after_unblinding"] == "FALSE"
    assert by_id["P01"]["note"] == ""  # it may identify somebody
    said(capsys, "export", "--notes", "--force")
    by_id = {row["participant"]: row for row in rows(folder / "export", "participants")}
    assert by_id["P01"]["note"] == "came late"


def test_an_export_lists_who_was_deleted_since_earlier_ones(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "export", "--out", "first")
    said(capsys, "export", "--out", "second")
    (row,) = rows(folder / "first", "deleted")
    assert (row["participant"], row["deleted_by"], row["answers"]) == ("P05", "experimenter", "4")
    assert row["in_exports"] == ""  # no export had the answers
    erase(folder / "sessions" / "P02.yaml")
    printed = said(capsys, "export", "--out", "second", "--force")
    assert "Deleted since earlier exports: P02;" in printed
    by_id = {row["participant"]: row for row in rows(folder / "second", "deleted")}
    assert re.fullmatch(r"first \(\d{4}-\d\d-\d\d\)", by_id["P02"]["in_exports"])  # the second is this one
    assert by_id["P05"]["in_exports"] == ""


def test_analyses_and_exports_are_events_in_the_studys_log(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "analyse")
    said(capsys, "export", "--out", str(tmp_path / "out"))
    _, analysed, exported = study_log.read(folder / "study.log.yaml")
    assert isinstance(analysed, Analysed)
    assert (analysed.folder, analysed.blind, analysed.participants) == (
        "analysis",
        True,
        ["P01", "P02", "P03"],
    )
    assert isinstance(exported, Exported)
    assert exported.folder == os.path.realpath(tmp_path / "out")
    assert exported.participants == ["P01", "P02", "P03", "P04", "P06", "P07"]
    assert exported.host == socket.gethostname()

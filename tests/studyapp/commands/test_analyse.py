"""``studyapp analyse``: its numbers against independent computations, what enters it, and what it writes."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import published
import pytest
from scipy import stats
from study_files import loaded, open_sitting, run, small

from core import Vocabulary
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Responded
from studyapp.session.log_format import encode

Table = list[dict[str, str]]


def analysed(sessions: Path, *options: str) -> dict[str, Any]:
    out = Path(options[1]) if "--out" in options else sessions.parent / f"{sessions.name}-analysis"
    assert main(["analyse", str(sessions), "--out", str(out), *options]) == 0
    text = (out / "summary.json").read_text()
    assert "NaN" not in text
    found: dict[str, Any] = json.loads(text)
    return found


def imported(folder: Path, table: Table) -> Path:
    """Sessions with these answers."""
    source = folder / "sessions.csv"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    sessions = folder / "imported"
    assert main(["import", str(source), "--sessions", str(sessions)]) == 0
    return sessions


def made_up(participants: int, targets: list[str], questions: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    words = Vocabulary.load("study20").words
    table = []
    for p in range(participants):
        played = [("true", "naive", "cat"), ("true", "mixture", "cat")]
        played += [
            ("false", model, target) for target in targets for model in rng.permutation(["naive", "mixture"])
        ]
        for number, (practice, model, target) in enumerate(played, start=1):
            for question in range(1, questions + 1):
                table.append(
                    {
                        "participant": f"P{p}",
                        "round": str(number),
                        "practice": practice,
                        "model": str(model),
                        "target": target,
                        "question": str(question),
                        "word": str(rng.choice(words)),
                        "answer": str(rng.choice(["y", "n"])),
                        "reward": f"{rng.random():.6f}",
                    }
                )
    return table


def curves_of(table: Table) -> dict[str, np.ndarray]:
    """Mean cumulative reward (participants, questions) by model, in plain loops."""
    rounds: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in table:
        if row["practice"] == "false":
            rounds[row["participant"], row["model"], row["round"]].append(float(row["reward"]))
    by_participant: defaultdict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    for (participant, model, _), rewards in rounds.items():
        by_participant[model, participant].append(np.cumsum(rewards))
    models = sorted({model for model, _ in by_participant})
    return {
        model: np.array(
            [np.mean(by_participant[key], axis=0) for key in sorted(by_participant) if key[0] == model]
        )
        for model in models
    }


def check(found: dict[str, Any], table: Table) -> None:
    """The summary is what scipy says of the table."""
    curves = curves_of(table)
    assert found["models"] == sorted(curves)
    for model, values in curves.items():
        assert found["curves"][model] == pytest.approx(values.mean(0).tolist(), abs=1e-9)
    first, second = (curves[model] for model in found["models"])
    assert [row["question"] for row in found["paired_t"]] == list(range(2, first.shape[1] + 1))
    for row, detail in zip(found["paired_t"], found["pairs"][0]["by_question"], strict=True):
        q = row["question"] - 1
        tested = stats.ttest_rel(first[:, q], second[:, q])
        interval = tested.confidence_interval(0.95)
        assert row["t"] == pytest.approx(tested.statistic, abs=1e-9)
        assert row["p"] == pytest.approx(tested.pvalue, abs=1e-9)
        assert detail["ci95"] == pytest.approx([interval.low, interval.high], abs=1e-9)


# Numbers


@published.needs_sessions
def test_the_published_participants_give_the_numbers_of_an_independent_computation(tmp_path: Path) -> None:
    assert main(["import", str(published.SESSIONS), "--sessions", str(tmp_path / "published")]) == 0
    found = analysed(tmp_path / "published")
    assert found["participants"] == 5
    check(found, published.rows())
    assert found["curves"]["mixture"][-1] == pytest.approx(7.346, abs=5e-4)
    assert found["curves"]["naive"][-1] == pytest.approx(6.271, abs=5e-4)
    # People are neither naive nor perfect planners, and each is as told by 4,096 points for the look-ahead.
    exact = {"P103": 0.478, "P104": 0.374, "P105": 0.278, "P106": 0.308, "P107": 0.455}
    assert {name: alpha["mean"] for name, alpha in found["alpha"].items()} == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_made_up_answers_give_the_numbers_of_an_independent_computation(tmp_path: Path, seed: int) -> None:
    table = made_up(3 + seed, ["tea", "salt", "dog"], 4, seed)
    check(analysed(imported(tmp_path, table)), table)


def test_the_random_baseline_is_the_mean_over_all_words_and_targets(tmp_path: Path) -> None:
    table = made_up(2, ["tea", "salt"], 3, 7)
    vocabulary = Vocabulary.load("study20")
    features = np.clip(vocabulary.features(), 1e-4, 1 - 1e-4)
    a_question = np.mean([features[vocabulary.index(target)].mean() for target in ("tea", "salt")])
    expected = [a_question * q for q in (1, 2, 3)]
    assert analysed(imported(tmp_path, table))["curves"]["random"] == pytest.approx(expected, abs=1e-6)


def test_how_soon_and_how_often_the_target_was_found_is_counted(tmp_path: Path) -> None:
    table = made_up(4, ["tea", "salt", "dog"], 5, 9)
    for row in table:  # so that it is found at all
        if int(row["question"]) == 2 + int(row["round"]) % 5:
            row["word"] = row["target"]
    found = analysed(imported(tmp_path, table))
    for model in found["models"]:
        shares, moments = [], []
        for participant in sorted({row["participant"] for row in table}):
            of = [
                r
                for r in table
                if (r["participant"], r["model"], r["practice"]) == (participant, model, "false")
            ]
            at = []
            for number in sorted({row["round"] for row in of}):
                asked = [row for row in of if row["round"] == number]
                at.append(next((int(r["question"]) for r in asked if r["word"] == r["target"]), 6))
            shares.append([np.mean([moment <= q for moment in at]) for q in range(1, 6)])
            moments.append(np.mean(at))
        assert found["found"][model]["by_question"] == pytest.approx(np.mean(shares, axis=0).tolist())
        assert found["found"][model]["question"] == pytest.approx(np.mean(moments))


def test_answers_are_counted_by_the_likeness_of_the_word(tmp_path: Path) -> None:
    table = made_up(3, ["tea", "salt"], 6, 11)
    found = analysed(imported(tmp_path, table))
    for model in found["models"]:
        rows = [row for row in table if (row["model"], row["practice"]) == (model, "false")]
        bands = found["yes"][model]
        assert sum(band["answers"] for band in bands) == len(rows)
        for band in bands[:-2]:
            inside = [r for r in rows if band["reward_from"] <= float(r["reward"]) < band["reward_to"]]
            assert band["answers"] == len(inside)
            if inside:
                assert band["yes"] == pytest.approx(np.mean([row["answer"] == "y" for row in inside]))


def test_three_models_are_compared_in_all_pairs_and_one_question_in_none(tmp_path: Path) -> None:
    models = {name: {"teacher": "naive", "tau": tau} for name, tau in (("c", 1), ("a", 2), ("b", 3))}
    study = loaded(tmp_path, small(models=models, questions=1, after_round=[], at_end=[], bonus=None))
    for participant in ("P1", "P2", "P3"):
        run(study, tmp_path / "logs", participant)
    found = analysed(tmp_path / "logs", "--words", str(tmp_path / "words.txt"))
    assert [pair["models"] for pair in found["pairs"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert found["paired_t"] == []


def test_one_participant_is_described_without_tests(tmp_path: Path) -> None:
    found = analysed(imported(tmp_path, made_up(1, ["tea", "salt"], 3, 1)))
    assert found["participants"] == 1
    assert found["paired_t"] == [{"question": q, "t": None, "p": None} for q in (2, 3)]


# What is in it


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Sessions of every kind and state, of one study."""
    study = loaded(tmp_path, small())
    folder = tmp_path / "logs"
    for participant in ("sim1", "sim2", "half", "quarter"):
        run(study, folder, participant)
    (folder / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    for participant, kept in (("half", 21), ("quarter", 8)):
        path = folder / f"{participant}.yaml"
        path.write_bytes(b"...\n".join(path.read_bytes().split(b"...\n")[:kept]) + b"...\n")
    for participant, delete in (("gone", True), ("left", False)):
        sitting = open_sitting(study, folder, participant)
        sitting.withdraw(delete=delete)
        sitting.close()
    events = list(log.read(folder / "sim1.yaml").events)
    for name, changes in (
        ("person", {"simulated": False, "teacher": None}),
        ("piloted", {"simulated": False, "teacher": None, "pilot": True}),
        ("again", {"simulated": False, "teacher": None, "participant": "person"}),
    ):
        head = type(events[0])(**vars(events[0]) | {"participant": name} | changes)
        (folder / f"{name}.yaml").write_bytes(encode([head, *events[1:]]))
    (folder / "broken.yaml").write_bytes((folder / "sim2.yaml").read_bytes().replace(b'"y"', b'"n"', 1))
    (folder / "notes.yaml").write_text("just: notes\n...\n")
    return folder


def included(found: dict[str, Any]) -> list[str]:
    return sorted(session["log"] for session in found["sessions"] if session["included"])


def reason(found: dict[str, Any], name: str) -> str:
    return next(str(session["reason"]) for session in found["sessions"] if session["log"] == f"{name}.yaml")


def test_finished_sessions_of_people_are_in_and_every_other_is_listed_with_its_reason(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = analysed(logs)
    # Which of two logs of one participant is told by its name: the first.
    assert included(found) == ["again.yaml"]
    assert len(found["sessions"]) == 11
    assert "is the participant of again.yaml already" in reason(found, "person")
    assert reason(found, "sim1") == "simulated; --include simulated lets it in"
    assert reason(found, "piloted") == "pilot; --include pilot lets it in"
    assert reason(found, "half") == "incomplete; --include incomplete lets it in"
    assert reason(found, "left") == "withdrawn; --include withdrawn lets it in"
    assert reason(found, "gone") == "withdrawn, and the answers were deleted"
    assert re.match(r"line \d+: this event, or something before it, was changed", reason(found, "broken"))
    assert "not a studyapp session log" in reason(found, "notes")
    printed, error = capsys.readouterr()
    assert error.count("\n") == 2
    assert f"studyapp: {logs / 'broken.yaml'}, line " in error
    assert "left out: sim1.yaml: simulated" in printed


def test_options_let_others_in(logs: Path) -> None:
    found = analysed(logs, "--include", "simulated", "pilot", "--exclude", "sim2")
    assert included(found) == ["again.yaml", "piloted.yaml", "sim1.yaml"]
    assert reason(found, "sim2") == "excluded by --exclude"
    found = analysed(logs, "--include", "incomplete", "--include", "simulated")
    # Of an unfinished session only targets that every model has played count, and there may be none.
    assert "half.yaml" in included(found)
    assert reason(found, "quarter") == "no target was gone through with every model"


def test_without_people_simulated_sessions_are_analysed(logs: Path) -> None:
    for name in ("person", "again", "piloted"):
        (logs / f"{name}.yaml").unlink()
    found = analysed(logs)
    assert included(found) == ["sim1.yaml", "sim2.yaml"]
    assert found["kinds"] == ["simulated"]
    report = (logs.parent / "logs-analysis" / "report.html").read_text()
    assert "2 of the 2 participants are simulated" in report


def test_sessions_of_another_study_are_left_out_with_what_differs(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for participant in ("a", "b"):
        run(loaded(tmp_path, small()), logs, participant)
    run(loaded(tmp_path, small(questions=3)), logs, "c")
    found = analysed(logs, "--words", str(tmp_path / "words.txt"))
    assert included(found) == ["a.yaml", "b.yaml"]
    assert "of another study than most sessions here (it differs in: questions)" in reason(found, "c")


def test_where_nothing_can_be_analysed_all_reasons_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text("nothing\n...\n")
    assert main(["analyse", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "no session here can be analysed:\n  a.yaml: " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--exclude", "sim3"], "there is no such participant here (did you mean 'sim"),
        (["--out", "FILE"], "this is a file, and results need a folder"),
        (["--words", "nowhere.txt"], "nowhere.txt: there is no such file"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2(
    logs: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(logs / "notes.yaml") if option == "FILE" else option for option in options]
    out = [] if "--out" in options else ["--out", str(logs.parent / "out")]
    assert main(["analyse", str(logs), *out, *given]) == 2
    assert said in capsys.readouterr().err


# What is written


def test_the_same_sessions_give_the_same_report_byte_by_byte(tmp_path: Path) -> None:
    sessions = imported(tmp_path, made_up(3, ["tea", "salt"], 3, 5))
    out = tmp_path / "imported-analysis"
    analysed(sessions)
    before = {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    analysed(sessions)
    assert {path: path.read_bytes() for path in before} == before
    names = {path.relative_to(out).as_posix() for path in before}
    assert {"report.html", "summary.json", "figures/curves.svg", "figures/curves.pdf"} <= names
    assert {"data/answers.csv", "data/rounds.csv", "data/participants.csv"} <= names


def test_the_tables_hold_the_sessions_that_were_analysed(logs: Path) -> None:
    analysed(logs)
    with (logs.parent / "logs-analysis" / "data" / "participants.csv").open(newline="") as file:
        assert [row["log"] for row in csv.DictReader(file)] == ["again.yaml"]
    with (logs.parent / "logs-analysis" / "data" / "answers.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 12


def test_a_second_analysis_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    run(study, tmp_path / "logs")
    options = ("--out", str(tmp_path / "out"))
    analysed(tmp_path / "logs", *options, "--words", str(tmp_path / "words.txt"))
    assert (tmp_path / "out" / "figures" / "survey.svg").exists()
    assert (tmp_path / "out" / "data" / "responses.csv").exists()
    analysed(imported(tmp_path, made_up(2, ["tea", "salt"], 3, 5)), *options)
    assert not (tmp_path / "out" / "figures" / "survey.svg").exists()
    assert not (tmp_path / "out" / "data" / "responses.csv").exists()


def test_results_are_for_their_owner_alone(tmp_path: Path) -> None:
    analysed(imported(tmp_path, made_up(2, ["tea", "salt"], 3, 5)))
    assert (tmp_path / "imported-analysis").stat().st_mode & 0o077 == 0


def test_targets_that_one_model_has_not_played_do_not_count(tmp_path: Path) -> None:
    table = made_up(3, ["tea", "salt", "dog"], 3, 6)
    last = max(int(row["round"]) for row in table)
    cut = [row for row in table if (row["participant"], row["round"]) != ("P1", str(last))]
    lost = next(row["target"] for row in table if (row["participant"], row["round"]) == ("P1", str(last)))
    check(
        analysed(imported(tmp_path, cut)),
        [row for row in table if (row["participant"], row["target"]) != ("P1", lost)],
    )


def test_rewards_that_are_no_likeness_are_noted_if_imported_and_refused_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analysed(imported(tmp_path, made_up(2, ["tea", "salt"], 3, 5)))
    assert "24 rewards are not the likeness of word and target" in capsys.readouterr().out
    events = run(loaded(tmp_path, small()), tmp_path / "logs")
    changed = [type(e)(**vars(e) | {"reward": 1e300}) if e.event == "answer" else e for e in events]
    (tmp_path / "logs" / "P01.yaml").write_bytes(encode(changed))
    words = ["--words", str(tmp_path / "words.txt")]
    assert main(["analyse", str(tmp_path / "logs"), "--out", str(tmp_path / "o"), *words]) == 2
    assert "the reward is not the likeness of the word to the target" in capsys.readouterr().err


def test_of_two_logs_of_a_participant_the_one_that_can_be_used_is(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    logs = tmp_path / "logs"
    run(study, logs, "P1")
    whole = (logs / "P1.yaml").read_bytes()
    (logs / "b.yaml").write_bytes(whole)
    (logs / "P1.yaml").unlink()
    (logs / "a.yaml").write_bytes(b"...\n".join(whole.split(b"...\n")[:9]) + b"...\n")
    found = analysed(logs, "--words", str(tmp_path / "words.txt"))
    assert included(found) == ["b.yaml"]


def test_a_file_name_that_is_no_text_is_no_reason_to_stop(tmp_path: Path) -> None:
    sessions = imported(tmp_path, made_up(2, ["tea", "salt"], 3, 5))
    (sessions / "bad\udcff.yaml").write_text("nothing\n...\n")
    assert analysed(sessions)["participants"] == 2


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def test_whatever_a_log_carries_the_report_escapes_it(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(title=HOSTILE))
    logs = tmp_path / "logs"
    events = run(study, logs)
    changed = [
        Responded(**vars(event) | {"value": HOSTILE}) if getattr(event, "item", "") == "remarks" else event
        for event in events
    ]
    assert changed != events
    (logs / "P01.yaml").write_bytes(encode(changed))
    (logs / "<b>.yaml").write_text("no log\n...\n")
    analysed(logs, "--words", str(tmp_path / "words.txt"))
    report = (tmp_path / "logs-analysis" / "report.html").read_text()
    assert "<script" not in report
    assert "<img src=x" not in report
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in report
    assert "&lt;b&gt;.yaml" in report
    assert re.findall(r'(?:src|href)="(?!data:image/svg)', report) == []


def test_the_terminal_shows_a_plot_and_a_table_within_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analysed(imported(tmp_path, made_up(3, ["tea", "salt"], 15, 5)))
    printed = capsys.readouterr().out
    _, *lines = printed.splitlines()  # the first tells of the import
    lines = lines[: next(i for i, line in enumerate(lines) if line.startswith("15 ")) + 1]
    assert max(map(len, lines)) <= 80
    assert sum("│" in line for line in lines) == 12
    assert [line.split()[0] for line in lines if line[:3].strip().isdigit()] == [str(q) for q in range(1, 16)]

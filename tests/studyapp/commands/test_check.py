"""``studyapp check`` shows what a session consists of, or what is wrong with a study file."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from study_files import loaded, small, write

from studyapp.cli import main
from studyapp.study import plan
from studyapp.study.loading import load
from studyapp.study.questionnaires import READY_MADE
from studyapp.study.texts import Texts

REPOSITORY = Path(__file__).parents[3]
SUMMARY = [
    "Finding a word together (paper): no faults found.",
    "",
    "words      20 (study20); 19 targets",
    "models     2",
    "rounds     38, plus 2 practice rounds",
    "questions  600 (15 per round)",
    "breaks     0",
    "duration   about 75 minutes, at the pace of the published study",
]


@pytest.fixture(autouse=True)
def _on_a_fast_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studyapp.study.warnings._seconds_per_question", lambda *_: 0.0)


def checked(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What the command prints about a study without faults."""
    assert main(["check", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_plan_of_a_participant_is_shown_below_the_summary_only_when_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert checked(capsys).splitlines() == SUMMARY
    assert "\nThe plan of P01:\n" in checked(capsys, "--plan")
    lines = checked(capsys, "--plan", "--participant", "P07").splitlines()
    assert lines[: len(SUMMARY)] == SUMMARY
    title, _, head, rule, *rows = lines[len(SUMMARY) + 1 :]
    rows = rows[: rows.index("")]
    assert title == "The plan of P07:"
    assert head.split() == ["round", "model", "target", "first", "question"]
    assert [row.split() for row in rows] == [
        [str(round_.round), *["practice"] * round_.practice, round_.model, round_.target, round_.first]
        for round_ in plan.make(load("paper"), "P07")
    ]
    column = head.index("target")
    assert all(row[column - 2 : column] == "  " and row[column] != " " for row in (head, rule, *rows))


def test_the_summary_does_not_name_the_models_or_depend_on_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = {"zebra": {"teacher": "planning"}, "yak": {"teacher": "mixture"}, "gnu": {"beta": 3}}
    printed = checked(
        capsys, write(tmp_path, small(models=models, order_of_models="balanced", participants=4))
    )
    assert "models     3\n" in printed
    assert "warning    participants is 4: with 3 models" in printed
    assert not re.search("zebra|yak|gnu|planning|mixture", printed)
    first, other = ([], [])
    for printed_of, seed in ((first, 1), (other, 2)):
        path = write(tmp_path, small(seed=seed, pace={"pause": 10}))
        printed_of += [checked(capsys, path), checked(capsys, path, "--plan")]
    assert first[0] == other[0]
    assert first[1] != other[1]


def test_the_summary_follows_from_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for changes, expected in (
        (
            {},
            ["rounds     4, plus 2 practice rounds\n", "questions  12 (2 per round); 7 in questionnaires\n"],
        ),
        ({}, ["breaks     1\n"]),
        ({"targets": ["tea"], "breaks": None}, ["words      6 (words.txt); 1 target\n", "breaks     0\n"]),
        ({"targets": ["tea"], "breaks": None}, ["rounds     2, plus 2 practice rounds\n"]),
        (
            {"practice": None, "after_round": None, "at_end": None},
            ["rounds     4, plus 0 practice rounds\n", "questions  8 (2 per round)\n", "about 1 minute, at"],
        ),
        ({"targets": "all"}, ["words      6 (words.txt); all are targets\n", "rounds     12, plus"]),
        ({"consent": None}, ["warning    there is no consent"]),
    ):
        printed = checked(capsys, write(tmp_path, small(**changes)))
        for line in expected:
            assert line in printed


@pytest.mark.parametrize("order", ["random", "balanced"])
def test_plan_counts_how_often_each_model_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], order: str
) -> None:
    """The counts are those of the plans themselves, for the participant and for all planned ones."""
    chosen = small(targets="all", order_of_models=order, participants=8, ids="S{number}", bonus=None)
    study = loaded(tmp_path, chosen)
    lines = checked(capsys, tmp_path / "study.yaml", "--plan", "--participant", "S3").splitlines()
    firsts = {  # the model that comes first, by participant and target
        (f"S{number}", round_.target): round_.model
        for number in range(1, 9)
        for round_ in reversed(plan.make(study, f"S{number}"))
        if not round_.practice
    }
    models = ["plain", "both"]
    own = Counter(model for (participant, _), model in firsts.items() if participant == "S3")
    start = lines.index("How often each model is the first with a target, for S3:")
    _, head, _, counts, _, title, _, columns, _, *rows = lines[start + 1 :]
    assert (head.split(), counts.split()) == (models, [str(own[model]) for model in models])
    assert (title, columns.split()) == ("For the 8 participants S1 to S8:", ["target", *models])
    every = Counter((target, model) for (_, target), model in firsts.items())
    table = [[target, *(str(every[target, model]) for model in models)] for target in study.targets]
    table.append(["(all)", *(str(list(firsts.values()).count(model)) for model in models)])
    assert [re.split("  +", row) for row in rows[: rows.index("")]] == table
    random, balanced = (re.split("  +", row) for row in rows[-2:])
    names = {"random": "random", "balanced": "balanced"} | {order: f"{order} (this study)"}
    assert [random[0], balanced[0]] == list(names.values())
    assert balanced[1:] == [str(len(study.targets) // 2), "4"]
    least, most = map(int, random[2].split(" to "))
    assert least < 4 < most
    if order == "random":
        assert (least, most) == (min(every.values()), max(every.values()))
        each = Counter((participant, model) for (participant, _), model in firsts.items())
        assert random[1] == f"{min(each.values())} to {max(each.values())}"


def test_the_plan_is_that_of_the_first_id_of_the_study_and_counts_one_participant_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, small(ids=["zoe", "anna"]))
    assert "\nThe plan of zoe:\n" in checked(capsys, path, "--plan")
    printed = checked(capsys, write(tmp_path, small(ids=["zoe"])), "--plan")
    assert "\nFor zoe:\n" in printed
    assert re.search(r"^balanced +1 +0 to 1$", printed, re.MULTILINE)
    for study in ("short", "beyond"):
        assert max(map(len, checked(capsys, study, "--plan").splitlines())) <= 80


# Faults


def test_what_cannot_be_checked_ends_with_2_and_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_bytes(b"title: x\n")
    for arguments, message in (
        ([str(bad)], f"{bad}, line 1: models is missing; add it"),
        (["papr"], "no study of this name (did you mean 'paper'?); known: beyond, paper, short; or name"),
        (["missing.yaml"], "there is no such file"),
        (["."], "this is a folder"),
        (["paper", "--plan", "--participant", "../x"], "the participant ID is '../x'; use 1 to 64"),
        (["--participant", "P07"], "add --plan"),
    ):
        assert main(["check", *arguments]) == 2
        printed, error = capsys.readouterr()
        assert printed == ""
        assert error.startswith("studyapp: ")
        assert message in error
        assert error.count("\n") == 1


# Texts


def test_the_texts_are_all_that_participants_read_each_with_its_place_and_placeholders(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed = yaml.safe_load(checked(capsys, "short", "--texts"))
    study = load("short").study
    assert list(printed) == ["title", "consent", "instructions", "questionnaires", "texts"]
    assert printed["texts"] == Texts().model_dump()
    asked = printed["questionnaires"]
    assert [item["ask"] for item in asked["nasa-tlx"]] == [item.ask for item in READY_MADE["nasa-tlx"].items]
    assert list(asked) == ["the-round", "at-last", "nasa-tlx"]
    assert (printed["consent"], printed["instructions"]) == (study.consent, study.instructions)
    paper = checked(capsys, "paper", "--texts")
    assert yaml.safe_load(paper)["bonus"]["won"].startswith("You helped the system")
    assert '  ask: "Is {word} relevant?"  # the question; {word} {target}' in paper.splitlines()
    assert "#   {questions}        questions in a round" in paper.splitlines()


def test_the_texts_of_a_study_are_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {"ask": "Passt {word}? # {{1}}", "yes": "no", "no": "null", "enter": "Weiter: 'Enter', \"ja\""}
    path = write(tmp_path, small(texts=texts | {"end": "-"}))
    printed = yaml.safe_load(checked(capsys, path, "--texts"))["texts"]
    assert printed == Texts().model_dump() | texts | {"end": "-"}
    assert loaded(tmp_path, small(texts=printed)).study.texts.model_dump() == printed

"""A study file is a valid study, or one error that says all that is wrong with it, and where."""

from __future__ import annotations

import contextlib
import copy
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study_files import VECTORS, Settings, loaded, run, small, study_files, texts, values, write

from core.errors import FileError
from core.vocabulary import Vocabulary
from studyapp.base import documents
from studyapp.cli import main
from studyapp.session.events import Answered, Finished
from studyapp.study.fields import LONGEST
from studyapp.study.loading import load
from studyapp.study.study import Study
from studyapp.study.texts import Texts

with_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

HEAD = """\
title: Ours
models:
  one: {teacher: naive}
  two: {teacher: mixture}
"""


def refused(tmp_path: Path, text: str) -> str:
    """What is said of a study file that cannot be used."""
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(str(path))


# The study that comes with studyapp


def test_paper_is_the_published_protocol() -> None:
    paper = load()
    study = paper.study
    assert (paper.name, study.words, study.kernel_width) == ("paper", "study20", 1.5)
    assert len(paper.vocabulary.words) == 20
    assert paper.targets == list(paper.vocabulary.words)
    assert study.questions == 15
    assert list(study.models) == ["naive", "mixture"]
    for name in study.models:
        model = study.settings(name, seed=5)
        assert (model.teacher, model.selection) == (name, "bayes-ucb")
        assert (model.beta, model.tau, model.horizon, model.gamma) == (20, 2, 1, 1)
        assert (model.fit, model.seed) == ("converged", 5)
    assert (study.order, study.practice, study.breaks) == ("fixed", ["cat"], None)
    assert (study.answers.yes, study.answers.no, study.answers.confirm) == ("y", "n", True)
    assert study.pace.pause == 0.5
    assert study.consent
    assert len(study.instructions) == 3
    assert (study.after_round, study.at_end) == ([], [])
    assert study.bonus is not None
    assert study.resume.allowed
    assert study.resume.within_hours is None
    assert study.texts == Texts()


def test_a_title_and_models_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(HEAD)
    ours, paper = load(path).study, load("paper").study
    assert (ours.words, ours.questions, ours.targets, ours.pace) == ("study20", 15, "all", paper.pace)
    assert ours.settings("two", 0) == paper.settings("mixture", 0)


def test_a_study_is_checked_without_torch() -> None:
    code = (
        "import sys; from studyapp.study.loading import load; load('paper');"
        "sys.exit(len({'torch', 'scipy', 'textual'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=True)


def test_the_settings_of_a_model_come_before_the_shared_ones_and_these_before_the_defaults(
    tmp_path: Path,
) -> None:
    models = {"one": {"teacher": "naive", "beta": 3}, "two": {}}
    study = loaded(tmp_path, small(learner={"beta": 5, "samples": 16}, models=models)).study
    assert [study.settings(name, 0).beta for name in study.models] == [3.0, 5.0]
    assert [study.settings(name, 0).samples for name in study.models] == [16, 16]
    assert [study.settings(name, 0).teacher for name in study.models] == ["naive", "mixture"]


def test_words_are_looked_for_beside_the_study_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "there", small())
    monkeypatch.chdir(tmp_path)
    assert load(path).vocabulary.sha256 == Vocabulary.load(tmp_path / "there" / "words.txt").sha256
    assert load("there/study.yaml").vocabulary.words[1] == "no"
    (tmp_path / "there" / "sets").mkdir()
    (tmp_path / "there" / "sets" / "mine.txt").write_text(VECTORS, encoding="utf-8")
    assert load(write(tmp_path / "there", small(words="sets/mine.txt"))).vocabulary.words[1] == "no"
    assert load(write(tmp_path / "there", small(words=str(tmp_path / "there" / "words.txt"))))


def test_a_name_that_no_study_has_is_told_with_those_there_are() -> None:
    with pytest.raises(FileError, match=r"no study of this name \(did you mean 'paper'\?\); known: paper"):
        load("papr")
    with pytest.raises(FileError, match="there is no such file"):
        load("papr.yaml")


# What is wrong, and where


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("qestions: 5", "there is no setting qestions (did you mean 'questions'?); allowed: title, words, "),
        ("weather: good", "there is no setting weather; allowed: title"),
        ("words: study2", "words: there is no word set 'study2' (did you mean 'study20'?)"),
        ("words: my.txt", "my.txt: there is no such file"),
        ('words: "my\\0.txt"', "words: has the character '\\x00', which cannot be shown"),
        ('words: ""', "words is ''; it must not be empty"),
        ("kernel_width: 0", "kernel_width is 0; it must be more than 0"),
        ("kernel_width: 1e999", "kernel_width is inf; it must be a finite number"),
        ("kernel_width: wide", "kernel_width is 'wide'; it must be a number"),
        ("seed: 1.5", "seed is 1.5; it must be a whole number"),
        ("seed: 9223372036854775808", "it must be at most 9223372036854775807"),
        ("learner: {bta: 3}", "there is no setting learner.bta (did you mean 'beta'?); allowed: teacher, "),
        ("learner: {beta: -1}", "learner.beta: beta is -1.0; it must be a finite number at least 0"),
        ("learner: {beta: high}", "learner.beta is 'high'; it must be a number"),
        ("learner: {horizon: 11}", "learner.horizon: horizon is 11; it must be a whole number from 1 to 10"),
        ("learner: {teacher: kind}", "teacher is 'kind'; it must be one of 'naive', 'planning', 'mixture'"),
        ("learner: 3", "learner is 3; it must be settings: one line each, 'name: value'"),
        ("targets: tea", "targets: is 'tea'; it must be 'all' or a list of words"),
        ("targets: []", "targets is an empty list; give words, or 'all'"),
        ("targets: [tea, caat]", "targets[2] is 'caat', which is not in the word set (did you mean 'cat'?)"),
        ("targets: [tea, tea]", "targets[2] is 'tea' for the second time; remove one"),
        ("targets: [tea, 3]", "targets[2] is 3; it must be a text (in quotes, if it looks like something el"),
        ("order: ranom", "order is 'ranom' (did you mean 'random'?); allowed: fixed, random"),
        ("order: true", "order is true; allowed: fixed, random"),
        ("questions: 0", "questions is 0; it must be at least 1"),
        ("questions: 1001", "questions is 1001; it must be at most 1000"),
        ("questions: '5'", "questions is '5'; it must be a whole number"),
        ("questions: true", "questions is true; it must be a whole number"),
        ("questions:", "questions is empty; it must be a whole number"),
        ("questions: [5]", "questions is a list; it must be a whole number"),
        ("practice: cat", "practice is 'cat'; it must be a list: one line each, beginning with '- '"),
        ("practice: [unicorn]", "practice[1] is 'unicorn', which is not in the word set"),
        ("breaks: {every: 0}", "breaks.every is 0; it must be at least 1"),
        ("breaks: {seconds: 5}", "breaks.every is missing; add it"),
        ("answers: {yes: yes}", "answers.yes: is 'yes'; it must be one letter, digit or sign"),
        ("answers: {yes: İ}", "answers.yes: is 'İ'; it must be one letter, digit or sign"),
        ("answers: {yes: ' '}", "answers.yes: is ' '; it must be one letter, digit or sign"),
        ("answers: {yes: j, no: J}", "answers: yes and no have the same key, 'j'; give them different ones"),
        ("answers: {confirm: no}", "answers.confirm is 'no'; it must be true or false"),
        ("pace: {pause: -1}", "pace.pause is -1; it must be at least 0"),
        ("pace: {pause: 61}", "pace.pause is 61; it must be at most 60"),
        ("look: blue", "look is 'blue'; allowed: dark, light, terminal"),
        ("consent: ''", "consent is ''; it must not be empty"),
        ('consent: "\\e[31m"', r"consent: has the character '\x1b', which cannot be shown; remove it"),
        (f"consent: {'x' * (LONGEST + 1)}", f"it must have at most {LONGEST} characters"),
        ("instructions: [{a: b}]", "instructions[1] is a group of settings; it must be a text"),
        ("questionnaires: {'a b': []}", "made of letters, digits, - and _, the first no sign"),
        ("questionnaires: {you: []}", "questionnaires.you is empty; give it items or remove it"),
        (
            "questionnaires: {sus: [{id: a, kind: text, ask: b}]}",
            "questionnaires.sus must have these items, in this order: sus-1, sus-2",
        ),
        (
            "questionnaires: {you: [{id: a, ask: b}]}",
            "you[1]: kind is missing; allowed: choice, scale, text",
        ),
        (
            "questionnaires: {you: [{id: a, kind: txt, ask: b}]}",
            "you[1]: kind is 'txt' (did you mean 'text'?); allowed: choice, scale, text",
        ),
        ("questionnaires: {you: [{id: a, kind: text}]}", "questionnaires.you[1].ask is missing; add it"),
        (
            "questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c]}]}",
            "questionnaires.you[1].choices is a list; there must be at least 2",
        ),
        (
            "questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c, c]}]}",
            "questionnaires.you[1]: two of the choices are the same; make them differ",
        ),
        (
            "questionnaires: {you: [{id: a, kind: text, ask: b, longst: 3}]}",
            "there is no setting questionnaires.you[1].longst (did you mean 'longest'?); allowed: kind, id, ",
        ),
        (
            "questionnaires: {you: [{id: a, kind: scale, ask: b, most: 22}]}",
            "questionnaires.you[1].most is 22; it must be at most 21",
        ),
        (
            "questionnaires: {you: [{id: a, kind: text, ask: b}, {id: a, kind: text, ask: c}]}",
            "questionnaires.you[2].id is 'a' again",
        ),
        (
            "after_round: [nasa-tlz]",
            "after_round[1] is 'nasa-tlz' (did you mean 'nasa-tlx'?); known: nasa-tlx",
        ),
        ("at_end: [sus, sus]", "at_end[2] is 'sus' for the second time"),
        ("bonus: {within: 16, rounds: 1, won: x}", "bonus.within is 16; there are only 15 questions a round"),
        ("bonus: {within: 1, rounds: 41, won: x}", "bonus.rounds is 41; there are only 40 rounds"),
        ('bonus: {within: 1, rounds: 1, won: "a\\nb"}', "bonus.won: must be on one line"),
        ("resume: {allowed: 1}", "resume.allowed is 1; it must be true or false"),
        ("resume: {within_hours: 0}", "resume.within_hours is 0; it must be more than 0"),
        ("texts: {aks: x}", "there is no setting texts.aks (did you mean 'ask'?); allowed: enter"),
        ("texts: {ask: 3}", "texts.ask is 3; it must be a text"),
        ("texts: {yes: true}", "texts.yes is true; it must be a text (in quotes"),
        ('texts: {ask: "a\\nb"}', "texts.ask: must be on one line"),
        (
            "texts: {ask: 'Is {wrd} it?'}",
            "has the placeholder {wrd} (did you mean 'word'?); allowed here: {word}",
        ),
        ("texts: {ask: '{}'}", "texts.ask: has the placeholder {}; allowed here: {word}"),
        ("texts: {ask: '{word.x}'}", "has the placeholder {word.x} (did you mean 'word'?)"),
        ("texts: {ask: '{word!r}'}", "has the placeholder {word}"),
        ("texts: {ask: '{word:>9}'}", "has the placeholder {word}"),
        ("texts: {ask: 'Is {word?'}", "texts.ask: has a lone brace; write {{ or }} for a brace as such"),
        ("texts: {enter: '{word}'}", "has the placeholder {word}; none are allowed here"),
        ("5: x", "a name in front of a colon must be a word"),
    ],
)
def test_a_fault_is_told_with_its_line_and_what_is_allowed(tmp_path: Path, line: str, said: str) -> None:
    error = refused(tmp_path, HEAD + "\n" + line + "\nlook: dark\n" * (not line.startswith("look")))
    assert error.startswith(", line 6: ")
    assert said in error
    assert "\n" not in error


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: {one: {}, two: {}}\n", ", line 1: title is missing; add it"),
        ("title: Ours\n", ", line 1: models is missing; add it"),
        ("title: ''\nmodels: {one: {}, two: {}}\n", ", line 1: title is ''; it must not be empty"),
        (
            "title: Ours\nmodels: {one: {}}\n",
            ", line 2: models is a group of settings; there must be at least 2",
        ),
        (
            "title: Ours\nmodels: {one: {}, t wo: {}}\n",
            ", line 2: models.t wo is 't wo'; it must be made of letters",
        ),
        (
            "title: Ours\nmodels: [one, two]\n",
            ", line 2: models is a list; it must be settings: one line each",
        ),
        ("- title\n", ": a study file is made of settings: one line each, 'name: value'"),
        ("Hello!\n", ": a study file is made of settings: one line each, 'name: value'"),
        ("", ": the file is empty"),
        ("title: Ours\ntitle: Mine\n", ", line 2: 'title' is given on line 1 already; remove one of the two"),
    ],
)
def test_a_fault_of_the_whole_is_told(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path, text).startswith(said)


def test_a_fault_deep_inside_is_told_with_its_own_line(tmp_path: Path) -> None:
    text = HEAD + (
        "questionnaires:\n  you:\n    - id: a\n      kind: text\n      ask: b\n"
        "    - id: c\n      kind: scale\n      ask: d\n      most: 99\n"
    )
    assert refused(tmp_path, text).startswith(
        ", line 13: questionnaires.you[2].most is 99; it must be at most 21"
    )
    text = HEAD + "targets:\n  - tea\n  - cat\n  - 5\n"
    assert refused(tmp_path, text).startswith(", line 8: targets[3] is 5; it must be a text")


def test_all_faults_are_told_at_once_by_line(tmp_path: Path) -> None:
    text = HEAD + "questions: 0\nlook: blue\ntexts:\n  ask: '{wrd}'\n  aks: x\n"
    first, *told = refused(tmp_path, text).splitlines()
    assert first == ": 4 things to put right:"
    assert [line.split(":")[0] for line in told] == ["  line 5", "  line 6", "  line 8", "  line 9"]


def test_no_more_than_ten_faults_are_told(tmp_path: Path) -> None:
    text = HEAD + "".join(f"nonsense{number}: 1\n" for number in range(13))
    first, *told = refused(tmp_path, text).splitlines()
    assert first == ": 13 things to put right:"
    assert len(told) == 11
    assert told[-1] == "  and 3 more"


def test_words_that_cannot_be_used_are_told_at_the_setting_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("tea 1 2\ncat 0 0\n")
    error = refused(tmp_path, HEAD + "words: mine.txt\n")
    assert error.startswith(
        f", line 5: words: {tmp_path / 'mine.txt'}, line 2: the vector of 'cat' is all zeros"
    )


@pytest.mark.parametrize("name", sorted(Texts.model_fields))
def test_every_text_may_have_its_own_placeholders_and_no_others(tmp_path: Path, name: str) -> None:
    default = str(Texts.model_fields[name].default)
    holes = Texts.holes(name)
    assert all(f"{{{hole}}}" in default for hole in holes)
    mine = "{{ö}} " + " ".join(f"{{{hole}}}" for hole in holes)
    study = loaded(tmp_path, small(texts={name: mine})).study
    shown = getattr(study.texts, name).format(**dict.fromkeys(holes, "x"))
    assert shown == "{ö} " + " ".join("x" for _ in holes)
    with pytest.raises(FileError, match=r"has the placeholder \{nonsense\}"):
        loaded(tmp_path, small(texts={name: "{nonsense}"}))


# Any study file


@settings(with_folder, max_examples=40)
@given(study_files())
def test_the_record_of_a_study_is_a_study_with_the_same_record(tmp_path: Path, chosen: Settings) -> None:
    study = loaded(tmp_path, chosen).study
    record = study.record()
    again = Study.model_validate(record)
    assert again.record() == record
    assert Study.model_validate(yaml.safe_load(documents.block(record) + "\n")).record() == record
    for name in study.models:
        assert again.settings(name, 3) == study.settings(name, 3)


@settings(with_folder, max_examples=15)
@given(study_files())
def test_a_valid_study_can_be_gone_through_to_its_end(tmp_path: Path, chosen: Settings) -> None:
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    for shared in (chosen.get("learner", {}), *chosen["models"].values()):
        shared.pop("fit", None)  # the many steps of "published" take their time
    study = loaded(folder, chosen)
    events = run(study, folder / "sessions")
    last = events[-1]
    assert isinstance(last, Finished)
    rounds = len(chosen["models"]) * (len(study.targets) + len(chosen.get("practice", [])))
    assert last.answers == rounds * chosen["questions"]
    assert sum(isinstance(event, Answered) for event in events) == last.answers
    assert (last.bonus is None) == ("bonus" not in chosen)


def check(path: Path) -> int:
    """The exit code of ``studyapp check``, with nothing but a message where it is 2."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(["check", str(path)])
    if code == 2:
        assert out.getvalue() == ""
        assert err.getvalue().startswith("studyapp: ")
    else:
        assert (code, err.getvalue()) == (0, "")
    return code


@settings(with_folder, max_examples=30)
@given(study_files())
def test_a_valid_study_passes_the_check(tmp_path: Path, chosen: Settings) -> None:
    assert check(write(tmp_path, chosen)) == 0


def _places(data: Any, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [each for key, value in inner for each in ((*place, key), *_places(value, (*place, key)))]


WILD = st.sampled_from([0, -1, 2, 1e-300, 1e300, 10**18, 10**40, 0.1, -0.0, 1001]) | values(deep=4)


@st.composite
def mutated(draw: st.DrawFn) -> Settings:
    """A study with one setting taken out, misnamed or given another value."""
    chosen = copy.deepcopy(draw(study_files()))
    place = draw(st.sampled_from(_places(chosen)))
    inner = chosen
    for part in place[:-1]:
        inner = inner[part]  # type: ignore[index]
    last: Any = place[-1]
    match draw(st.sampled_from(["drop", "rename", "change", "change"])):
        case "drop":
            del inner[last]
        case "rename" if isinstance(last, str):
            at = draw(st.integers(0, len(last)))
            inner[last[:at] + draw(texts()) + last[at + 1 :]] = inner.pop(last)
        case _:
            inner[last] = draw(WILD)
    return chosen


@settings(with_folder, max_examples=100)
@given(mutated())
def test_a_study_with_a_wrong_setting_is_loaded_or_refused_and_never_a_riddle(
    tmp_path: Path, chosen: Settings
) -> None:
    path = write(tmp_path, chosen)
    try:
        load(path)
        code = 0
    except FileError:
        code = 2
    assert check(path) == code


@settings(with_folder, max_examples=100)
@given(study_files(), st.data())
def test_a_damaged_study_file_is_loaded_or_refused_and_never_a_riddle(
    tmp_path: Path, chosen: Settings, data: st.DataObject
) -> None:
    path = write(tmp_path, chosen)
    raw = path.read_bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw)))
        match data.draw(st.sampled_from(["delete", "insert", "typed", "line"])):
            case "delete":
                raw = raw[:at] + raw[at + data.draw(st.integers(1, 20)) :]
            case "insert":
                raw = raw[:at] + data.draw(st.binary(max_size=5)) + raw[at:]
            case "typed":
                raw = raw[:at] + data.draw(texts()).encode() + raw[at:]
            case _:
                lines = raw.splitlines(keepends=True)
                index = data.draw(st.integers(0, max(0, len(lines) - 1)))
                raw = b"".join([*lines[:index], *lines[index : index + 1] * 2, *lines[index + 1 :]])
    path.write_bytes(raw)
    assert check(path) in (0, 2)

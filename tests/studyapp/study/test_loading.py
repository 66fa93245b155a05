"""A study file is a valid study, or one error that lists every fault with its line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from study_files import VECTORS, small, write

from core.errors import FileError
from core.vocabulary import Vocabulary
from studyapp.study.fields import LONGEST
from studyapp.study.loading import load

HEAD = """\
title: Ours
models:
  one: {teacher: naive}
  two: {teacher: mixture}
"""


def refused(tmp_path: Path, text: str) -> str:
    """The message about a study file that is not valid."""
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(str(path))


def lines_of(message: str) -> list[str]:
    """The line of every fault in a message, and what it is about."""
    return [": ".join(line.strip().split(" is ")[0].split(": ")[:2]) for line in message.splitlines()[1:]]


def test_a_study_is_loaded_without_torch() -> None:
    code = (
        "import sys; from studyapp.study.loading import load; load('paper');"
        "sys.exit(len({'torch', 'scipy', 'textual'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=True)


def test_a_word_file_is_found_beside_the_study_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "there", small())
    monkeypatch.chdir(tmp_path)
    assert load(path).vocabulary.sha256 == Vocabulary.load(tmp_path / "there" / "words.txt").sha256
    assert load("there/study.yaml").vocabulary.words[1] == "no"
    (tmp_path / "there" / "sets").mkdir()
    (tmp_path / "there" / "sets" / "mine.txt").write_text(VECTORS, encoding="utf-8")
    assert load(write(tmp_path / "there", small(words="sets/mine.txt"))).vocabulary.words[1] == "no"
    assert load(write(tmp_path / "there", small(words=str(tmp_path / "there" / "words.txt"))))


def test_an_unknown_name_gets_the_known_ones() -> None:
    with pytest.raises(
        FileError, match=r"no study of this name \(did you mean 'paper'\?\); known: beyond, paper, short"
    ):
        load("papr")
    with pytest.raises(FileError, match="there is no such file"):
        load("papr.yaml")


# One fault


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("qestions: 5", "there is no setting qestions (did you mean 'questions'?); allowed: title, words, "),
        ("weather: good", "there is no setting weather; allowed: title"),
        ("words: study2", "words: there is no word set 'study2' (did you mean 'study20'?)"),
        ("words: my.txt", "my.txt: there is no such file"),
        ('words: "my\\0.txt"', "words: contains the character '\\x00', which can't be shown"),
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
        ("learner: 3", "learner is 3; it must be a group of settings: one per line, 'name: value'"),
        ("targets: tea", "targets: is 'tea'; it must be 'all' or a list of words"),
        ("targets: []", "targets is an empty list; list words, or write 'all'"),
        ("targets: [tea, caat]", "targets[2] is 'caat', which is not in the word set (did you mean 'cat'?)"),
        ("targets: [tea, tea]", "targets[2] is 'tea', which is listed already; remove one"),
        (
            "targets: [tea, 3]",
            "targets[2] is 3; it must be text (in quotes, if it looks like something else)",
        ),
        ("order: ranom", "order is 'ranom' (did you mean 'random'?); allowed: fixed, random"),
        ("order: true", "order is true; allowed: fixed, random"),
        ("questions: 0", "questions is 0; it must be at least 1"),
        ("questions: 1001", "questions is 1001; it must be at most 1000"),
        ("questions: '5'", "questions is '5'; it must be a whole number"),
        ("questions: true", "questions is true; it must be a whole number"),
        ("questions:", "questions is empty; it must be a whole number"),
        ("questions: [5]", "questions is a list; it must be a whole number"),
        ("practice: cat", "practice is 'cat'; it must be a list: one entry per line, starting with '- '"),
        ("practice: [unicorn]", "practice[1] is 'unicorn', which is not in the word set"),
        ("breaks: {every: 0}", "breaks.every is 0; it must be at least 1"),
        ("breaks: {seconds: 5}", "breaks.every is missing; add it"),
        ("answers: {yes: yes}", "answers.yes: is 'yes'; it must be one letter, digit or sign"),
        ("answers: {yes: İ}", "answers.yes: is 'İ'; it must be one letter, digit or sign"),
        ("answers: {yes: ' '}", "answers.yes: is ' '; it must be one letter, digit or sign"),
        ("answers: {yes: j, no: J}", "answers: yes and no have the same key, 'j'; use two different keys"),
        ("answers: {confirm: no}", "answers.confirm is 'no'; it must be true or false"),
        ("pace: {pause: -1}", "pace.pause is -1; it must be at least 0"),
        ("pace: {pause: 61}", "pace.pause is 61; it must be at most 60"),
        ("look: blue", "look is 'blue'; allowed: dark, light, terminal"),
        ("consent: ''", "consent is ''; it must not be empty"),
        ('consent: "\\e[31m"', r"consent: contains the character '\x1b', which can't be shown; remove it"),
        (f"consent: {'x' * (LONGEST + 1)}", f"it must have at most {LONGEST} characters"),
        ("instructions: [{a: b}]", "instructions[1] is a group of settings; it must be text"),
        (
            "questionnaires: {'a b': [{id: a, kind: text, ask: b}]}",
            "it must consist of letters, digits, - and _, starting with a letter or digit",
        ),
        ("questionnaires: {you: []}", "questionnaires.you is empty; add items or remove it"),
        (
            "questionnaires: {sus: [{id: a, kind: text, ask: b}]}",
            "questionnaires.sus must have the items of sus, in this order: sus-1, sus-2",
        ),
        (
            "questionnaires: {you: [{id: a, ask: b}]}",
            "you[1]: kind is missing; allowed: choice, scale, text",
        ),
        (
            "questionnaires: {you: [{id: a, kind: txt, ask: b}]}",
            "you[1]: kind is 'txt' (did you mean 'text'?); allowed: choice, scale, text",
        ),
        (
            "questionnaires: {you: [{id: a, kind: [], ask: b}]}",
            "you[1]: kind is []; allowed: choice, scale, text",
        ),
        ("questionnaires: {you: [{id: a, kind: text}]}", "questionnaires.you[1].ask is missing; add it"),
        (
            "questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c]}]}",
            "questionnaires.you[1].choices is a list; it must have at least 2 entries",
        ),
        (
            "questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c, c]}]}",
            "questionnaires.you[1]: two choices are the same; change or remove one",
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
            "questionnaires.you[2].id is 'a', like an earlier item's; change one",
        ),
        (
            "after_round: [nasa-tlz]",
            "after_round[1] is 'nasa-tlz' (did you mean 'nasa-tlx'?); known: nasa-tlx",
        ),
        ("at_end: [sus, sus]", "at_end[2] is 'sus', which is listed already; remove one"),
        ("bonus: {within: 16, rounds: 1, won: x}", "bonus.within is 16; a round has only 15 questions"),
        ("bonus: {within: 1, rounds: 41, won: x}", "bonus.rounds is 41; there are only 40 rounds"),
        ('bonus: {within: 1, rounds: 1, won: "a\\nb"}', "bonus.won: must be on one line"),
        ("resume: {allowed: 1}", "resume.allowed is 1; it must be true or false"),
        ("resume: {within_hours: 0}", "resume.within_hours is 0; it must be more than 0"),
        ("texts: {aks: x}", "there is no setting texts.aks (did you mean 'ask'?); allowed: enter"),
        ("texts: {ask: 3}", "texts.ask is 3; it must be text"),
        ("texts: {yes: true}", "texts.yes is true; it must be text (in quotes"),
        ('texts: {ask: "a\\nb"}', "texts.ask: must be on one line"),
        (
            "texts: {ask: 'Is {wrd} it?'}",
            "has the placeholder {wrd} (did you mean 'word'?); allowed here: {word}",
        ),
        ("texts: {ask: '{}'}", "texts.ask: has the placeholder {}; allowed here: {word}"),
        ("texts: {ask: '{word.x}'}", "has the placeholder {word.x} (did you mean 'word'?)"),
        ("texts: {ask: '{word!r}'}", "texts.ask: has the placeholder {word!r}"),
        ("texts: {ask: '{word:>9}'}", "texts.ask: has {word:>9}, but {word} is not a number; write {word}"),
        ("texts: {ask: 'Is {word?'}", "texts.ask: has a single brace; for a brace itself, write {{ or }}"),
        (
            "texts: {enter: '{word}'}",
            "has the placeholder {word} (did you mean 'words'?); allowed here: {questions}, {words}, ",
        ),
        ("5: x", "a name before a colon must be a word"),
    ],
)
def test_a_fault_is_reported_with_its_line_and_what_is_allowed(
    tmp_path: Path, line: str, message: str
) -> None:
    error = refused(tmp_path, HEAD + "\n" + line + "\nlook: dark\n" * (not line.startswith("look")))
    assert error.startswith(", line 6: ")
    assert message in error
    assert "\n" not in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models: {one: {}, two: {}}\n", ", line 1: title is missing; add it"),
        ("title: Ours\n", ", line 1: models is missing; add it"),
        ("title: ''\nmodels: {one: {}, two: {}}\n", ", line 1: title is ''; it must not be empty"),
        (
            "title: Ours\nmodels: {one: {}}\n",
            ", line 2: models is a group of settings; it must have at least 2 entries",
        ),
        (
            "title: Ours\nmodels: {one: {}, t wo: {}}\n",
            ", line 2: models.t wo is 't wo'; it must consist of letters",
        ),
        (
            "title: Ours\nmodels: [one, two]\n",
            ", line 2: models is a list; it must be a group of settings: one per line",
        ),
        ("- title\n", ": a study file consists of settings: one per line, 'name: value'"),
        ("Hello!\n", ": a study file consists of settings: one per line, 'name: value'"),
        ("", ": the file is empty"),
        ("title: Ours\ntitle: Mine\n", ", line 2: 'title' is already given on line 1; remove one of the two"),
    ],
)
def test_a_fault_of_the_whole_file_is_reported(tmp_path: Path, text: str, message: str) -> None:
    assert refused(tmp_path, text).startswith(message)


def test_a_fault_deep_in_the_file_is_reported_with_its_own_line(tmp_path: Path) -> None:
    text = HEAD + (
        "questionnaires:\n  you:\n    - id: a\n      kind: text\n      ask: b\n"
        "    - id: c\n      kind: scale\n      ask: d\n      most: 99\n"
    )
    assert refused(tmp_path, text).startswith(
        ", line 13: questionnaires.you[2].most is 99; it must be at most 21"
    )
    text = HEAD + "targets:\n  - tea\n  - cat\n  - 5\n"
    assert refused(tmp_path, text).startswith(", line 8: targets[3] is 5; it must be text")


def test_an_unusable_word_file_is_a_fault_of_the_setting_words(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("tea 1 2\ncat 0 0\n")
    error = refused(tmp_path, HEAD + "words: mine.txt\n")
    assert error.startswith(
        f", line 5: words: {tmp_path / 'mine.txt'}, line 2: the vector of 'cat' is all zeros"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("consent: Only {qestions}", "consent: has the placeholder {qestions} (did you mean 'questions'?)"),
        ("consent: '{target}'", "consent: has the placeholder {target}; allowed here: {questions}, {words}"),
        ("consent: 'a } b'", "consent: has a single brace; for a brace itself, write {{ or }}"),
        (
            "instructions: [fine, 'Press {ys_key}']",
            "instructions[2]: has the placeholder {ys_key} (did you mean",
        ),
        ("bonus: {within: 1, rounds: 1, won: '{x}'}", "bonus.won: has the placeholder {x}; allowed here"),
        ("bonus: {within: 1, rounds: 1, won: a, lost: '{x}'}", "bonus.lost: has the placeholder {x}"),
        (
            "texts: {progress: '{done:x}'}",
            "texts.progress: has {done:x}; it must have two forms, for 1 and for",
        ),
        ("texts: {progress: '{done:x|y|z}'}", "texts.progress: has {done:x|y|z}; it must have two forms"),
        ("texts: {progress: '{done:{rounds}|y}'}", "texts.progress: has {done:{rounds}|y}; it must have two"),
        ("texts: {enter: '{target}'}", "texts.enter: has the placeholder {target}"),
        ("texts: {ask: 'Relevant?'}", "texts.ask: must contain {word}"),
        (
            "questionnaires: {you: [{id: a, kind: text, ask: '{word}?'}]}",
            "questionnaires.you[1].ask: has the placeholder {word} (did you mean 'words'?); allowed here: {",
        ),
        (
            "questionnaires: {you: [{id: a, kind: scale, ask: b, low: '{'}]}",
            "questionnaires.you[1].low: has a single brace",
        ),
        (
            "questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c, '{d}']}]}",
            "questionnaires.you[1].choices[2]: has the placeholder {d}",
        ),
    ],
)
def test_a_wrong_placeholder_is_a_fault_in_every_text(tmp_path: Path, line: str, message: str) -> None:
    error = refused(tmp_path, f"{HEAD}\n{line}\n")
    assert error.startswith(f", line 6: {message}")
    assert "\n" not in error


def test_the_target_is_a_placeholder_in_questionnaires_after_a_round_only(tmp_path: Path) -> None:
    text = HEAD + (
        "questionnaires:\n  you:\n    - id: a\n      kind: choice\n      ask: b\n      choices:\n"
        "        - fine\n        - not {target}\n"
    )
    path = tmp_path / "study.yaml"
    path.write_text(text + "after_round: [you]\n")
    assert load(path).study.after_round == ["you"]
    error = refused(tmp_path, text + "after_round: [you]\nat_end: [you]\n")
    assert error.startswith(
        ", line 12: questionnaires.you[1].choices: has the placeholder {target}, but at_end "
    )


TRANSLATED = """\
questionnaires:
  nasa-tlx:
    - {id: mental-demand, kind: scale, ask: "Wie anstrengend?", least: 0, most: 20}
    - {id: physical-demand, kind: scale, ask: "Wie anstrengend?", least: 0, most: 20}
    - {id: temporal-demand, kind: scale, ask: "Wie anstrengend?", least: 0, most: 20}
    - {id: performance, kind: scale, ask: "Wie gut?", least: 0, most: 20, low: gut, high: schlecht}
    - {id: effort, kind: scale, ask: "Wie sehr?", least: 0, most: 20}
    - {id: frustration, kind: scale, ask: "Wie sehr?", least: 0, most: 20}
at_end: [nasa-tlx]
"""


def test_a_ready_made_questionnaire_can_be_translated_but_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(HEAD + TRANSLATED)
    asked = load(path).study.questionnaire("nasa-tlx")
    assert asked.items[3].ask == "Wie gut?"
    assert asked.score is not None
    error = refused(tmp_path, HEAD + TRANSLATED.replace("physical-demand", "physical"))
    assert error.startswith(
        ", line 6: questionnaires.nasa-tlx must have the items of nasa-tlx, in this order: mental"
    )
    for change in ("most: 19", "most: 20, optional: true"):
        error = refused(
            tmp_path, HEAD + TRANSLATED.replace('gut?", least: 0, most: 20', f'gut?", least: 0, {change}')
        )
        assert error == (
            ", line 10: questionnaires.nasa-tlx[4] must have the settings kind: scale, optional: false, "
            "least: 0, most: 20; otherwise nasa-tlx could not be scored"
        )


# Several faults


def test_all_faults_are_listed_at_once_by_line(tmp_path: Path) -> None:
    text = HEAD + "questions: 0\nlook: blue\ntexts:\n  ask: '{wrd}'\n  aks: x\n"
    first, *listed = refused(tmp_path, text).splitlines()
    assert first == ": there are 4 faults:"
    assert [line.split(":")[0] for line in listed] == ["  line 5", "  line 6", "  line 8", "  line 9"]


def test_no_more_than_fifty_faults_are_listed(tmp_path: Path) -> None:
    text = HEAD + "".join(f"nonsense{number}: 1\n" for number in range(53))
    first, *listed = refused(tmp_path, text).splitlines()
    assert first == ": there are 53 faults:"
    assert len(listed) == 51
    assert listed[-1] == "  and 3 more"


def test_faults_that_need_the_words_are_listed_with_all_others(tmp_path: Path) -> None:
    text = HEAD + (
        "questions: 0\n"
        "targets: [tea, 5, caat, tea]\n"
        "practice: [unicorn]\n"
        "questionnaires:\n  you:\n    - {id: a, kind: scale, ask: b, most: 99}\n"
        "    - {id: c, kind: text, ask: d}\n    - {id: c, kind: text, ask: e}\n"
        "after_round: [yuo]\n"
        "bonus: {within: 1, rounds: 99, won: x}\n"
    )
    assert lines_of(refused(tmp_path, text)) == [
        "line 5: questions",
        "line 6: targets[2]",
        "line 6: targets[3]",
        "line 6: targets[4]",
        "line 7: practice[1]",
        "line 10: questionnaires.you[1].most",
        "line 12: questionnaires.you[3].id",
        "line 13: after_round[1]",
        "line 14: bonus.rounds",
    ]


def test_a_wrong_word_set_hides_no_other_fault(tmp_path: Path) -> None:
    text = HEAD + "words: study2\ntargets: [tea, tea]\nafter_round: [yuo]\nquestions: 0\n"
    assert [line.split(":")[0] for line in lines_of(refused(tmp_path, text))] == [
        "line 5",
        "line 6",
        "line 7",
        "line 8",
    ]


def test_models_that_need_too_much_memory_are_reported_with_all_others(tmp_path: Path) -> None:
    text = "title: x\nmodels:\n  a: {teacher: naive}\n  b: {samples: 1000000, horizon: 10}\nlook: blue\n"
    assert lines_of(refused(tmp_path, text)) == [
        "line 4: models.b",
        "line 5: look",
    ]


def test_a_word_set_of_one_word_or_too_many_is_refused(tmp_path: Path) -> None:
    write(tmp_path, small())
    (tmp_path / "words.txt").write_text("tea 1 0\n")
    with pytest.raises(FileError, match=r"at least 2|only one word"):
        load(tmp_path / "study.yaml")
    study = write(tmp_path, small(targets=["tea"], practice=[]))
    (tmp_path / "words.txt").write_text("".join(f"w{number} 1 {number}\n" for number in range(2001)))
    with pytest.raises(FileError, match="line 2001: there are more than 2,000 words, the most that"):
        load(study)


def test_a_study_of_up_to_2000_words_has_a_table_of_words_by_words(tmp_path: Path) -> None:
    large = Vocabulary.load("words10k")
    study = write(tmp_path, small(targets=list(large.words[:2]), practice=None, bonus=None, breaks=None))
    for count in (1001, 2000):
        (tmp_path / "words.txt").unlink()
        words = Vocabulary(large.words[:count], large.vectors[:count])
        words.save(tmp_path / "words.txt")
        assert load(study).features.shape == (count, count)
    exact = large.vectors[0] @ large.vectors[7] / np.prod(np.linalg.norm(large.vectors[[0, 7]], axis=1))
    assert load(study).features[0, 7] == pytest.approx(np.exp(-3 * (1 - exact)), abs=1e-12)


def test_all_words_as_targets_are_refused_where_there_are_more_than_1000(tmp_path: Path) -> None:
    large = Vocabulary.load("words10k")
    study = write(tmp_path, small(targets="all", practice=None, bonus=None, breaks=None))
    (tmp_path / "words.txt").unlink()
    Vocabulary(large.words[:1001], large.vectors[:1001]).save(tmp_path / "words.txt")
    with pytest.raises(
        FileError, match="targets is 'all', and the word set has 1,001 words; list at most 1,000"
    ):
        load(study)

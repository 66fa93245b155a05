"""A study file is a valid study, or one error that lists every fault with its line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from study_files import VECTORS, small, write

from core.errors import FileError
from core.vocabulary import Vocabulary
from studyapp.base import documents
from studyapp.study.fields import LONGEST
from studyapp.study.loading import load
from studyapp.study.study import schema

HEAD = """\
title: Ours
models:
  one: {teacher: naive}
  two: {teacher: mixture}
"""

# A line of a study file, and what its writer reads.  An editor with the JSON Schema refuses these, too.
FAULTS = r"""
qestions: 5 => there is no setting qestions (did you mean 'questions'?); allowed: title, words,
weather: good => there is no setting weather; allowed: title
words: "" => words is ''; it must not be empty
kernel_width: 0 => kernel_width is 0; it must be more than 0
kernel_width: 1e999 => kernel_width is inf; it must be a finite number
kernel_width: wide => kernel_width is 'wide'; it must be a number
seed: 1.5 => seed is 1.5; it must be a whole number
seed: 9223372036854775808 => it must be at most 9223372036854775807
learner: {bta: 3} => there is no setting learner.bta (did you mean 'beta'?); allowed: teacher,
learner: {beta: high} => learner.beta is 'high'; it must be a number
learner: {teacher: kind} => teacher is 'kind'; it must be one of 'naive', 'planning', 'mixture'
learner: {selection: best} => learner.selection: selection is 'best'; it must be one of 'bayes-ucb'
learner: {fit: fast} => learner.fit: fit is 'fast'; it must be one of 'converged', 'published'
learner: 3 => learner is 3; it must be a group of settings: one per line, 'name: value'
targets: tea => targets: is 'tea'; it must be 'all' or a list of words
targets: [tea, 3] => targets[2] is 3; it must be text (in quotes, if it looks like something else)
order: ranom => order is 'ranom' (did you mean 'random'?); allowed: fixed, random
order: true => order is true; allowed: fixed, random
order_of_models: fixed => order_of_models is 'fixed'; allowed: random, balanced
questions: 0 => questions is 0; it must be at least 1
questions: 1001 => questions is 1001; it must be at most 1000
questions: '5' => questions is '5'; it must be a whole number
questions: true => questions is true; it must be a whole number
questions: => questions is empty; it must be a whole number
questions: [5] => questions is a list; it must be a whole number
practice: cat => practice is 'cat'; it must be a list: one entry per line, starting with '- '
breaks: {every: 0} => breaks.every is 0; it must be at least 1
breaks: {seconds: 5} => breaks.every is missing; add it
answers: {yes: yes} => answers.yes: is 'yes'; it must be one letter, digit or sign
answers: {confirm: no} => answers.confirm is 'no'; it must be true or false
pace: {pause: -1} => pace.pause is -1; it must be at least 0
pace: {pause: 61} => pace.pause is 61; it must be at most 60
look: blue => look is 'blue'; allowed: dark, light, terminal
consent: '' => consent is ''; it must not be empty
instructions: one page => instructions is 'one page'; it must be a list
instructions: [{a: b}] => instructions[1] is a group of settings; it must be text
questionnaires: {'a b': [{id: a, kind: text, ask: b}]} => it must consist of letters, digits, - and _
questionnaires: {you: [{id: a, ask: b}]} => you[1]: kind is missing; allowed: choice, scale, text
questionnaires: {you: [{id: a, kind: txt, ask: b}]} => you[1]: kind is 'txt' (did you mean 'text'?)
questionnaires: {you: [{id: a, kind: [], ask: b}]} => you[1]: kind is []; allowed: choice, scale, text
questionnaires: {you: [{id: a, kind: text}]} => questionnaires.you[1].ask is missing; add it
questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c]}]} => it must have at least 2 entries
questionnaires: {you: [{id: a, kind: text, ask: b, longst: 3}]} => no setting questionnaires.you[1].longst
questionnaires: {you: [{id: a, kind: scale, ask: b, most: 22}]} => you[1].most is 22; it must be at most 21
bonus: {within: 1, rounds: 1} => bonus.won is missing; add it
resume: {allowed: 1} => resume.allowed is 1; it must be true or false
resume: {within_hours: 0} => resume.within_hours is 0; it must be more than 0
texts: {aks: x} => there is no setting texts.aks (did you mean 'ask'?); allowed: enter
texts: {ask: 3} => texts.ask is 3; it must be text
texts: {yes: true} => texts.yes is true; it must be text (in quotes
participants: 0 => participants is 0; it must be at least 1
participants: '20' => participants is '20'; it must be a whole number
participants: 100001 => participants is 100001; it must be at most 100000
ids: '' => ids: is ''; a pattern has {number} once
ids: P01 => ids: is 'P01'; a pattern has {number} once
ids: "{number}{number}" => ids: is '{number}{number}'; a pattern has {number} once
ids: P{number:2} => ids: is 'P{number:2}'; a pattern has {number} once
ids: P{number:010} => ids: is 'P{number:010}'; a pattern
ids: P {number} => ids: is 'P {number}'; a pattern
ids: é{number} => ids: is 'é{number}'; a pattern
ids: 5 => ids: must be a pattern in quotes, such as 'P{number:02}', or a list of IDs
ids: [] => ids: must be a pattern in quotes, such as 'P{number:02}', or a list of IDs
ids: [P01, 102] => ids[2] is 102; it must be text (in quotes, if it looks like something else)
ids: [P01, P 2] => ids[2]: 'P 2' can't be an ID; use 1 to 64 letters, digits, hyphens
ids: [P01, ../x] => ids[2]: '../x' can't be an ID
people: 5 => people: is 5; it must be the name of a file from studyapp people fit
"""

# The same for rules that only the loader knows: between settings, of words and files, and of texts.
RULES = r"""
words: study2 => words: there is no word set 'study2' (did you mean 'study20'?)
words: my.txt => my.txt: there is no such file
words: "my\0.txt" => words: contains the character '\x00', which can't be shown
learner: {beta: -1} => learner.beta: beta is -1.0; it must be a finite number at least 0
learner: {horizon: 11} => learner.horizon: horizon is 11; it must be a whole number from 1 to 10
targets: [] => targets is an empty list; list words, or write 'all'
targets: [tea, caat] => targets[2] is 'caat', which is not in the word set (did you mean 'cat'?)
targets: [tea, tea] => targets[2] is 'tea', which is listed already; remove one
practice: [unicorn] => practice[1] is 'unicorn', which is not in the word set
answers: {yes: İ} => answers.yes: is 'İ'; it must be one letter, digit or sign
answers: {yes: ' '} => answers.yes: is ' '; it must be one letter, digit or sign
answers: {yes: j, no: J} => answers: yes and no have the same key, 'j'; use two different keys
consent: "\e[31m" => consent: contains the character '\x1b', which can't be shown; remove it
consent: Only {qestions} => consent: has the placeholder {qestions} (did you mean 'questions'?)
consent: '{target}' => consent: has the placeholder {target}; allowed here: {questions}, {words}
consent: 'a } b' => consent: has a single brace; for a brace itself, write {{ or }}
instructions: [fine, 'Press {ys_key}'] => instructions[2]: has the placeholder {ys_key} (did you mean
questionnaires: {you: []} => questionnaires.you is empty; add items or remove it
questionnaires: {sus: [{id: a, kind: text, ask: b}]} => must have the items of sus, in this order: sus-1
questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c, c]}]} => you[1]: two choices are the same;
questionnaires: {you: [{id: a, kind: text, ask: b}, {id: a, kind: text, ask: c}]} => you[2].id is 'a', like an
questionnaires: {you: [{id: a, kind: text, ask: '{word}?'}]} => you[1].ask: has the placeholder {word}
questionnaires: {you: [{id: a, kind: scale, ask: b, low: '{'}]} => you[1].low: has a single brace
questionnaires: {you: [{id: a, kind: choice, ask: b, choices: [c, '{d}']}]} => choices[2]: has the placeholder
after_round: [nasa-tlz] => after_round[1] is 'nasa-tlz' (did you mean 'nasa-tlx'?); known: nasa-tlx
at_end: [sus, sus] => at_end[2] is 'sus', which is listed already; remove one
bonus: {within: 16, rounds: 1, won: x} => bonus.within is 16; a round has only 15 questions
bonus: {within: 1, rounds: 41, won: x} => bonus.rounds is 41; there are only 40 rounds
bonus: {within: 1, rounds: 1, won: "a\nb"} => bonus.won: must be on one line
bonus: {within: 1, rounds: 1, won: a, lost: '{x}'} => bonus.lost: has the placeholder {x}
texts: {ask: "a\nb"} => texts.ask: must be on one line
texts: {ask: 'Is {wrd} it?'} => has the placeholder {wrd} (did you mean 'word'?); allowed here: {word}
texts: {ask: '{}'} => texts.ask: has the placeholder {}; allowed here: {word}
texts: {ask: '{word.x}'} => has the placeholder {word.x} (did you mean 'word'?)
texts: {ask: '{word!r}'} => texts.ask: has the placeholder {word!r}
texts: {ask: '{word:>9}'} => texts.ask: has {word:>9}, but {word} is not a number; write {word}
texts: {ask: 'Relevant?'} => texts.ask: must contain {word}
texts: {enter: '{word}'} => has the placeholder {word} (did you mean 'words'?); allowed here: {questions},
texts: {enter: '{target}'} => texts.enter: has the placeholder {target}
texts: {progress: '{done:x}'} => texts.progress: has {done:x}; it must have two forms, for 1 and for
texts: {progress: '{done:x|y|z}'} => texts.progress: has {done:x|y|z}; it must have two forms
texts: {progress: '{done:{rounds}|y}'} => texts.progress: has {done:{rounds}|y}; it must have two
ids: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{number} => its IDs would be too long
ids: [P01, Q, P01] => ids[3] is 'P01', which is listed already; remove one
ids: [P01, p01] => ids[2] is 'p01', which differs from 'P01' only in case; remove one
people: nobody.yaml => nobody.yaml: there is no such file
people: {ready: 1.0} => people: ready_sd is missing
5: x => a name before a colon must be a word
"""


def refused(folder: Path, text: str) -> str:
    """The message about a study file that is not valid."""
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(str(path))


def lines_of(message: str) -> list[str]:
    """The line of every fault in a message, and what it is about."""
    return [": ".join(line.strip().split(" is ")[0].split(": ")[:2]) for line in message.splitlines()[1:]]


def test_a_fault_is_reported_with_its_line_and_what_is_allowed(tmp_path: Path) -> None:
    """Each is also refused by an editor that has the schema, if it is a fault of one setting."""
    validator = jsonschema.Draft202012Validator(schema())
    for table in (FAULTS, RULES):
        for row in table.strip().split("\n"):
            line, _, message = row.partition("=>")
            line, text = line.rstrip(), f"{HEAD}\n{line}\n" + "order: fixed\n" * ("order" not in line)
            error = refused(tmp_path, text)
            assert error.startswith(", line 6: "), row
            assert message.strip() in error, row
            assert "\n" not in error, row
            if not line.startswith("5"):
                seen = validator.is_valid(documents.parse(text.encode(), "study.yaml").data)
                assert seen == (table is RULES), row


def test_what_is_just_allowed_is_no_fault(tmp_path: Path) -> None:
    scale, choice = "kind: scale, least: 0, most: 21", f"kind: choice, choices: {list('abcdefghi')}"
    for text in (
        "ids: [a, b]\nparticipants: 2\nquestions: 15\nbonus: {within: 15, rounds: 40, won: x}\n",
        "questions: 1000\npace: {pause: 60, hold: 5}\nseed: 9223372036854775807\nparticipants: 100000\n",
        f"questionnaires: {{you: [{{id: a, ask: b, {scale}}}, {{id: c, ask: d, {choice}}}]}}\n",
        f"ids: {'x' * 58}{{number}}\nbreaks: {{every: 1, seconds: 3600}}\nconsent: {'x' * LONGEST}\n",
    ):
        (tmp_path / "study.yaml").write_text(HEAD + text)
        assert load(tmp_path / "study.yaml").study.title == "Ours"


def test_a_fault_of_the_whole_file_or_deep_in_it_is_reported_at_its_line(tmp_path: Path) -> None:
    items = (
        "    - {id: a, kind: text, ask: b}\n    - id: c\n      kind: scale\n      ask: d\n      most: 99\n"
    )
    for text, message in {
        "models: {one: {}, two: {}}\n": ", line 1: title is missing; add it",
        "title: Ours\n": ", line 1: models is missing; add it",
        "title: ''\nmodels: {one: {}, two: {}}\n": ", line 1: title is ''; it must not be empty",
        "title: Ours\nmodels: {one: {}}\n": ", line 2: models is a group of settings; it must have at least",
        "title: Ours\nmodels: {one: {}, t wo: {}}\n": ", line 2: models.t wo is 't wo'; it must consist",
        "title: Ours\nmodels: [one, two]\n": ", line 2: models is a list; it must be a group of settings:",
        "- title\n": ": a study file consists of settings: one per line, 'name: value'",
        "Hello!\n": ": a study file consists of settings: one per line, 'name: value'",
        "": ": the file is empty",
        "title: Ours\ntitle: Mine\n": ", line 2: 'title' is already given on line 1; remove one of the two",
        f"{HEAD}questionnaires:\n  you:\n{items}": ", line 11: questionnaires.you[2].most is 99; it must",
        f"{HEAD}targets:\n  - tea\n  - cat\n  - 5\n": ", line 8: targets[3] is 5; it must be text",
        f"{HEAD}ids: [P01]\nparticipants: 2\n": ", line 6: participants is 2; there is only 1 ID in ids",
        "title: x\nmodels: {a: {belief: words}, b: {}}\n": ", line 2: models.a.belief: belief is 'words'",
        "title: x\nmodels: {a: {teacher: person}, b: {}}\n": (
            ", line 2: models.a: teacher 'person' does not work with belief 'weights'; set belief to"
        ),
    }.items():
        assert refused(tmp_path, text).startswith(message), text


def test_the_placeholder_of_the_target_is_for_questionnaires_after_a_round_only(tmp_path: Path) -> None:
    text = HEAD + (
        "questionnaires:\n  you:\n    - id: a\n      kind: choice\n      ask: b\n      choices:\n"
        "        - fine\n        - not {target}\nafter_round: [you]\n"
    )
    (tmp_path / "good.yaml").write_text(text)
    assert load(tmp_path / "good.yaml").study.after_round == ["you"]
    error = refused(tmp_path, text + "at_end: [you]\n")
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
    path = tmp_path / "good.yaml"
    path.write_text(HEAD + TRANSLATED)
    asked = load(path).study.questionnaire("nasa-tlx")
    assert asked.items[3].ask == "Wie gut?"
    assert asked.score is not None
    error = refused(tmp_path, HEAD + TRANSLATED.replace("physical-demand", "physical"))
    assert error.startswith(
        ", line 6: questionnaires.nasa-tlx must have the items of nasa-tlx, in this order:"
    )
    for change in ("most: 19", "most: 20, optional: true"):
        changed = TRANSLATED.replace('gut?", least: 0, most: 20', f'gut?", least: 0, {change}')
        assert refused(tmp_path, HEAD + changed) == (
            ", line 10: questionnaires.nasa-tlx[4] must have the settings kind: scale, optional: false, "
            "least: 0, most: 20; otherwise nasa-tlx could not be scored"
        )


# Several faults


def test_all_faults_are_listed_at_once_by_line_those_that_need_the_words_too(tmp_path: Path) -> None:
    text = HEAD + (
        "questions: 0\ntargets: [tea, 5, caat, tea]\npractice: [unicorn]\n"
        "questionnaires:\n  you:\n    - {id: a, kind: scale, ask: b, most: 99}\n"
        "    - {id: c, kind: text, ask: d}\n    - {id: c, kind: text, ask: e}\n"
        "after_round: [yuo]\nbonus: {within: 1, rounds: 99, won: x}\n"
        "models: {a: {teacher: naive}, b: {samples: 1000000, horizon: 10}}\npeople: nobody.yaml\n"
    )
    error = refused(tmp_path, text.replace(HEAD, "title: Ours\n\n\n\n"))
    assert error.startswith(": there are 11 faults:\n")
    assert lines_of(error) == [
        *("line 5: questions", "line 6: targets[2]", "line 6: targets[3]", "line 6: targets[4]"),
        *("line 7: practice[1]", "line 10: questionnaires.you[1].most", "line 12: questionnaires.you[3].id"),
        *("line 13: after_round[1]", "line 14: bonus.rounds", "line 15: models.b", "line 16: people"),
    ]


def test_a_wrong_word_set_hides_no_other_fault(tmp_path: Path) -> None:
    text = HEAD + "words: study2\ntargets: [tea, tea]\nafter_round: [yuo]\nquestions: 0\n"
    found = [line.split(":")[0] for line in lines_of(refused(tmp_path, text))]
    assert found == ["line 5", "line 6", "line 7", "line 8"]


def test_no_more_than_fifty_faults_are_listed(tmp_path: Path) -> None:
    text = HEAD + "".join(f"nonsense{number}: 1\n" for number in range(53))
    first, *listed = refused(tmp_path, text).splitlines()
    assert first == ": there are 53 faults:"
    assert len(listed) == 51
    assert listed[-1] == "  and 3 more"


# Bounds: every list has a largest length, and a longer one is the only fault to correct

ITEM = "{{id: i{}, kind: text, ask: b}}"


def many(count: int, entry: str = "e{}") -> str:
    return "[" + ", ".join(entry.format(number) for number in range(count)) + "]"


def group(count: int, entry: str) -> str:
    return "{" + ", ".join(f"e{number}: {entry}" for number in range(count)) + "}"


def test_a_list_or_text_that_is_too_long_is_refused_by_its_name(tmp_path: Path) -> None:
    asked = "questionnaires: there are 51, with the ready-made ones that are asked; a study has at most 50"
    for text, problem in {
        f"targets: {many(1001)}": "targets has more than 1,000 entries; remove some",
        f"practice: {many(1001)}": "practice has more than 1,000 entries; remove some",
        f"after_round: {many(51, 'unknown')}": "after_round is a list; it must have at most 50 entries",
        f"at_end: {many(51, 'unknown')}": "at_end is a list; it must have at most 50 entries",
        f"instructions: {many(51)}": "instructions is a list; it must have at most 50 entries",
        f"questionnaires: {group(51, f'[{ITEM.format(0)}]')}": "questionnaires is a group of settings; it",
        f"at_end: [sus]\nquestionnaires: {group(50, f'[{ITEM.format(0)}]')}": asked,
        f"questionnaires: {{you: {many(101, ITEM)}}}": "questionnaires.you is a list; it must have",
        f"questionnaires: {{you: [{{id: a, kind: choice, ask: b, choices: {many(10)}}}]}}": (
            "questionnaires.you[1].choices is a list; it must have at most 9 entries"
        ),
        f"questionnaires: {group(30, many(700))}": "there are more than 20,000 values; remove some",
        "\n".join(f"k{number}: 1" for number in range(60_000)): "the file has more than 1,000 entries",
        "at_end: [" + "a, " * 240_000 + "]": "at_end has more than 1,000 entries; remove some",
        f"consent: {'x' * (LONGEST + 1)}": f"it must have at most {LONGEST} characters",
    }.items():
        error = refused(tmp_path, f"{HEAD}{text}\n")
        assert problem in error, text[:50]
        assert "faults" not in error, text[:50]
    assert "it must have at most 1000 characters" in refused(tmp_path, f"{HEAD}targets: [{'x' * 1001}]\n")
    models = f"title: T\nmodels: {group(21, '{teacher: naive}')}\n"
    assert "models is a group of settings; it must have at most 20 entries" in refused(tmp_path, models)


def test_the_longest_lists_are_read_and_make_a_valid_record(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("".join(f"e{number} {number + 1} 1\n" for number in range(1000)))
    own = (f"e{number}: {many(100 if number < 9 else 1, ITEM)}" for number in range(50))
    (tmp_path / "study.yaml").write_text(
        f"{HEAD}words: words.txt\ntargets: {many(1000)}\nquestionnaires: {{{', '.join(own)}}}\n"
        f"at_end: {many(50)}\n"
    )
    study = load(tmp_path / "study.yaml").study
    assert type(study).model_validate(study.record()) is not None
    assert len(study.items(study.at_end)) == 9 * 100 + 41


# Words and names


def test_a_word_file_is_found_beside_the_study_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "there", small())
    monkeypatch.chdir(tmp_path)
    assert load(path).vocabulary.sha256 == Vocabulary.load(tmp_path / "there" / "words.txt").sha256
    assert load("there/study.yaml").vocabulary.words[1] == "no"
    (tmp_path / "there" / "sets").mkdir()
    (tmp_path / "there" / "sets" / "mine.txt").write_text(VECTORS, encoding="utf-8")
    assert load(write(tmp_path / "there", small(words="sets/mine.txt"))).vocabulary.words[1] == "no"
    assert load(write(tmp_path / "there", small(words=str(tmp_path / "there" / "words.txt"))))


def test_an_unusable_word_file_is_a_fault_of_the_setting_words(tmp_path: Path) -> None:
    for content, problem in {
        "tea 1 2\ncat 0 0\n": ", line 2: the vector of 'cat' is all zeros",
        "tea 1 0\n": ": a word set needs at least 2 words; this one has 1",
        "".join(f"w{n} 1 {n}\n" for n in range(2001)): ", line 2001: there are more than 2,000 words, the",
    }.items():
        (tmp_path / "mine.txt").write_text(content)
        error = refused(tmp_path, HEAD + "words: mine.txt\n")
        assert error.startswith(f", line 5: words: {tmp_path / 'mine.txt'}{problem}")
    (tmp_path / "mine.txt").write_text("".join(f"w{n} 1 {n}\n" for n in range(1001)))
    problem = "targets is 'all', and the word set has 1,001 words; list at most 1,000"
    assert problem in refused(tmp_path, HEAD + "words: mine.txt\n")


def test_a_study_is_loaded_without_torch_and_scipy() -> None:
    code = (
        "import sys; from studyapp.study.loading import load; load('paper');"
        "sys.exit(len({'torch', 'scipy', 'textual'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=True)


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

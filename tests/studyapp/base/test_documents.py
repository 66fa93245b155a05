"""YAML is read as people mean it, with the line of everything, and written so that it reads back."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from study_files import texts, values

from core.errors import FileError
from studyapp.base import documents
from studyapp.base.documents import (
    DEEPEST,
    LARGEST,
    OneLine,
    block,
    flow,
    json_line,
    load,
    parse,
    read,
)


def refused(raw: bytes | str) -> str:
    with pytest.raises(FileError) as caught:
        parse(raw if isinstance(raw, bytes) else raw.encode(), "some.yaml")
    return str(caught.value).removeprefix("some.yaml")


def said(text: str) -> Any:
    return parse(text.encode(), "some.yaml").data


# What it says, and where


def test_every_value_remembers_its_line() -> None:
    document = parse(b"# first\na: 1\nb:\n\n  - x\n  - c: 2\n    d:\n      - y\n", "some.yaml")
    assert document.data == {"a": 1, "b": ["x", {"c": 2, "d": ["y"]}]}
    assert dict(document.lines) == {
        **{(): 2, ("a",): 2, ("b",): 3, ("b", 0): 5, ("b", 1): 6},  # a value has the line of its key
        **{("b", 1, "c"): 6, ("b", 1, "d"): 7, ("b", 1, "d", 0): 8},
    }
    assert document.line(("b", "missing", 3)) == 3  # that of what surrounds it
    assert document.line(("missing",)) == 2


def test_words_are_words_and_only_true_and_false_are_truth_values() -> None:
    words = ["no", "No", "on", "off", "yes", "y", "n", "True", "NULL", "Null", "12:30", "2026-11-16"]
    words += ["0x1F", "0b1", "1_000", ".inf", ".nan", "<<", "="]
    meant: dict[str, Any] = {word: word for word in words}
    meant |= {"true": True, "false": False, "null": None, "~": None, "": None}
    meant |= {"010": 10, "0": 0, "-5": -5, "+5": 5, "1.5": 1.5, "1e3": 1000.0, "-.5": -0.5, "2.": 2.0}
    meant |= {"1E-2": 0.01, '"5"': "5", "'true'": "true", '"no"': "no", "|\n  a\n  b": "a\nb"}
    for text, value in meant.items():
        assert said(f"a: {text}") == {"a": value}
        assert type(said(f"a: {text}")["a"]) is type(value), text
    assert said("<<: {a: 1}\nb: 2\n") == {"<<": {"a": 1}, "b": 2}  # no merge key


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbftitle: caf\xc3\xa9\r\nseed: 1\r\n")
    document = read(path)
    assert document.data == {"title": "café", "seed": 1}
    assert document.path == str(path)
    assert document.line(("seed",)) == 2


# What is refused

INVALID = "this is not valid YAML: "
REFUSED = {
    "a: 1\nb: 2\na: 3\n": ", line 3: 'a' is already given on line 1; remove one of the two",
    "a:\n  b: 1\n  'b': 2\n": ", line 3: 'b' is already given on line 2",
    "a: 1\nb: &x 2\n": ", line 2: anchors (&) and aliases (*) are not allowed; write the value out",
    "a: 1\nb: *x\n": ", line 2: anchors (&) and aliases (*) are not allowed; write the value out",
    "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n": ", line 1: anchors",
    "a:\n- !!python/name:os.system x\n": ", line 2: tags (tag:yaml.org,2002:python/name:os.system) are",
    "a: !!str 5\n": ", line 1: tags (tag:yaml.org,2002:str) are not allowed; remove it",
    "a: ! x\n": ", line 1: tags (!) are not allowed",
    "a:\n\tb: 1\n": f", line 2: {INVALID}found character '\\t' that cannot start any token (indent with",
    "a: 1\nb: c: d: e\n": f", line 2: {INVALID}mapping values are not allowed here (put a text that",
    "a: [1, 2\nb: 3\n": f", line 2: {INVALID}",
    'a: "b\n': f", line 2: {INVALID}",
    "a: b\n c: d\n": f", line 2: {INVALID}mapping values are not allowed here",
    "a: @b\n": f", line 1: {INVALID}found character '@'",
    "%YAML 2.0\n---\na: b\n": f", line 1: {INVALID}",
    "a: 1\n---\nb: 2\n": f", line 2: {INVALID}a second document",
    "a: 1\n...\nb: 2\n": f", line 3: {INVALID}",
    "": ": the file is empty",
    "\n# nothing\n\n": ": the file is empty",
    "? [a]\n: b\n": ", line 1: a name before a colon must be a word",
    "a: 1\n5: b\n": ", line 2: a name before a colon must be a word (in quotes, if it looks like a",
    "a: 1\n~: b\n": ", line 2: a name before a colon must be a word",
    "a: b\0c\n": f": {INVALID}unacceptable character #x0000",
    'a: "\\UFFFFFFFF"\n': rf": {INVALID}a \U... escape in quotes is not a character",
    'a: "\\U00110000"\n': rf": {INVALID}a \U... escape in quotes is not a character",
    "a: " + "[" * 200_000: ", line 1: this is nested too deeply to be a study file",
    "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1): ", line 1: this is nested too deeply to be a study file",
    "".join(" " * i + "a:\n" for i in range(900)): ", line 50: this is nested too deeply to be a study",
}


def test_yaml_that_could_be_misread_or_grow_without_bounds_is_refused_at_its_line() -> None:
    for text, error in REFUSED.items():
        assert refused(text).startswith(error), text[:50]
    deepest = "[" * DEEPEST + "]" * DEEPEST
    assert str(said(deepest)) == deepest
    assert refused(b"a: 1\nb: 2\nc: caf\xe9\n") == ", line 3: this is not UTF-8 text; save it as UTF-8"
    assert "this is not UTF-8 text" in refused("a: b\n".encode("utf-16"))


def test_the_number_of_values_in_a_log_event_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_LOGGED", 1000)
    assert load(b"[" + b"1, " * 998 + b"1]", "some.yaml", 1) == [1] * 999
    with pytest.raises(FileError, match="there are more than 1,000 values") as caught:
        load(b"\n[" + b"1, " * 5000, "some.yaml", 7)
    assert caught.value.where == "line 8"


def test_a_file_that_is_too_large_or_missing_is_refused_before_it_is_read_as_yaml(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"[" * (LARGEST + 1))
    with pytest.raises(FileError, match=r"larger than 1,000,000 bytes; is it a study file\?"):
        read(path)
    with pytest.raises(FileError, match="there is no such file"):
        read(tmp_path / "missing.yaml")
    with pytest.raises(FileError, match="this is a folder"):
        read(tmp_path)


@given(st.binary() | st.text().map(str.encode) | texts().map(str.encode))
def test_any_bytes_are_read_or_refused_in_a_log_with_a_line(raw: bytes) -> None:
    with contextlib.suppress(FileError):
        assert () in parse(raw, "some.yaml").lines
    where: str | None = "line 7"
    try:
        load(raw, "some.yaml", 7)
    except FileError as error:
        where = error.where
    assert where is not None
    assert int(where.removeprefix("line ")) >= 7


# What is written

collections = st.dictionaries(texts(), values(), max_size=5) | st.lists(values(), max_size=5)


@given(collections)
def test_written_yaml_is_read_back_by_this_and_other_parsers(data: Any) -> None:
    for written in (block(data) + "\n", flow(data), f"--- {flow(data)}\n...\n"):
        assert yaml.safe_load(written) == data
        assert load(written.encode(), "some.yaml", 1) == data
        assert repr(parse(written.encode(), "some.yaml").data) == repr(data)  # 1 is not true, nor 1.0
    assert len(flow(data).splitlines()) == len(json_line(data).splitlines()) == 1
    for line in block(data).split("\n"):  # none could end or begin a document
        assert line != "..."
        assert not line.startswith(("---", "... "))


@given(values(deep=20))
@example("\U0001f600 \U0010ffff \U00010000")
@example("".join(map(chr, range(0x20))))
@example("".join(map(chr, range(0x7F, 0xA1))))
@example("\x85\u2028\u2029\ufeff\ufffe\uffff\ufdd0\ue000\ud7ff")
@example({"\ufeff": "\ufeff", "\x85": ["\u2028"], "": "", "a: b": "\\"})
@example([5e-324, sys.float_info.min, sys.float_info.max, -sys.float_info.max])
@example([1e-05, 1e16, 1e22, 1.5e300, 123456789.123, -0.0, 0.0, 1e-7, 0.1, 1.0])
@example([0, -1, 2**63, -(10**99), True, False, None])
def test_a_json_line_reads_the_same_as_json_and_as_yaml(data: Any) -> None:
    line = json_line(data)
    expected = repr(data)  # to the last digit: 1 is not true, nor 1.0, nor is 0.0 the same as -0.0
    assert repr(json.loads(line)) == expected
    assert repr(yaml.safe_load(line)) == expected  # YAML 1.1
    assert repr(load(line.encode(), "some.yaml", 1)) == expected  # YAML 1.2
    assert repr(parse(line.encode(), "some.yaml").data) == expected
    assert repr(yaml.safe_load(f"--- {line}\n...\n")) == expected


def test_a_json_line_never_holds_nan_or_infinity() -> None:
    for number in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="not JSON compliant"):
            json_line({"ms": number})


@given(st.text(st.characters(codec=None), max_size=10))
@example("caf\udce9.csv")  # a name of a file that is not UTF-8
def test_half_a_character_is_replaced_so_that_the_result_can_be_read(text: str) -> None:
    whole = "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)
    for written in (json_line({"a": text}), block({"a": text}) + "\n", flow({"a": text})):
        assert load(written.encode(), "some.yaml", 1) == {"a": whole}
        assert yaml.safe_load(written) == {"a": whole}


def test_what_people_read_is_written_as_they_would_type_it() -> None:
    round_ = OneLine(round=1, practice=True, target="no", first="ice cream")
    line = '- {round: 1, practice: true, target: "no", first: ice cream}'
    assert block({"plan": [round_, round_]}) == f"plan:\n{line}\n{line}"
    same = ["x"]
    assert flow({"a": same, "b": same}) == "{a: [x], b: [x]}"  # without aliases
    assert block({"consent": "One.\n\n  Two: {three}\n"}) == "consent: |\n  One.\n\n    Two: {three}"
    for text in ("tea", "nasa-tlx", "ice cream"):
        assert (flow([text]), block({"a": text})) == (f"[{text}]", f"a: {text}")
    for text in ("n", "no", "Yes", "OFF", "null", "true", "1e3", "0x1", "", "2026-11-16", "é"):
        assert (flow([text]), block({"a": text})) == (f'["{text}"]', f'a: "{text}"')

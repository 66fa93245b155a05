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
    return str(caught.value)


def said(text: str) -> Any:
    return parse(text.encode(), "some.yaml").data


# What it says, and where


def test_every_value_remembers_its_line() -> None:
    document = parse(b"# first\na: 1\nb:\n  - x\n  - c: 2\n    d:\n      - y\n", "some.yaml")
    assert document.data == {"a": 1, "b": ["x", {"c": 2, "d": ["y"]}]}
    assert dict(document.lines) == {
        (): 2,
        ("a",): 2,
        ("b",): 3,
        ("b", 0): 4,
        ("b", 1): 5,
        ("b", 1, "c"): 5,
        ("b", 1, "d"): 6,
        ("b", 1, "d", 0): 7,
    }


def test_a_missing_value_has_the_line_of_what_surrounds_it() -> None:
    document = parse(b"\na: 1\nb:\n  c: 2\n", "some.yaml")
    assert document.line(("b", "missing", 3)) == 3
    assert document.line(("missing",)) == 2
    assert document.line(()) == 2


def test_a_value_has_the_line_of_its_key_even_if_it_begins_later() -> None:
    assert parse(b"a: 1\nb:\n\n  - x\n", "some.yaml").line(("b",)) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in ("no", "No", "on", "off", "yes", "y", "n", "True", "NULL", "Null")),
        *(
            (word, word)
            for word in ("12:30", "2026-11-16", "0x1F", "0b1", "1_000", ".inf", ".nan", "<<", "=")
        ),
        *((word, True) for word in ("true",)),
        *((word, False) for word in ("false",)),
        *((word, None) for word in ("null", "~", "")),
        *(("010", 10), ("0", 0), ("-5", -5), ("+5", 5)),
        *(("1.5", 1.5), ("1e3", 1000.0), ("-.5", -0.5), ("2.", 2.0), ("1E-2", 0.01)),
        *(('"5"', "5"), ("'true'", "true"), ('"no"', "no")),
        ("|\n  a\n  b", "a\nb"),
    ],
)
def test_words_are_words_and_only_true_and_false_are_truth_values(text: str, value: object) -> None:
    assert said(f"a: {text}") == {"a": value}
    assert type(said(f"a: {text}")["a"]) is type(value)


def test_a_merge_key_is_an_ordinary_key() -> None:
    assert said("<<: {a: 1}\nb: 2\n") == {"<<": {"a": 1}, "b": 2}


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbftitle: caf\xc3\xa9\r\nseed: 1\r\n")
    document = read(path)
    assert document.data == {"title": "café", "seed": 1}
    assert document.path == str(path)
    assert document.line(("seed",)) == 2


# What is refused


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: 1\nb: 2\na: 3\n", ", line 3: 'a' is already given on line 1; remove one of the two"),
        ("a:\n  b: 1\n  'b': 2\n", ", line 3: 'b' is already given on line 2"),
        ("a: 1\nb: &x 2\n", ", line 2: anchors (&) and aliases (*) are not allowed; write the value out"),
        ("a: 1\nb: *x\n", ", line 2: anchors (&) and aliases (*) are not allowed; write the value out"),
        ("a:\n- !!python/name:os.system x\n", ", line 2: tags (tag:yaml.org,2002:python/name:os.system) are"),
        ("a: !!str 5\n", ", line 1: tags (tag:yaml.org,2002:str) are not allowed; remove it"),
        ("a: ! x\n", ", line 1: tags (!) are not allowed"),
        (
            "a:\n\tb: 1\n",
            ", line 2: this is not valid YAML: found character '\\t' that cannot start any token (indent",
        ),
        (
            "a: 1\nb: c: d: e\n",
            ", line 2: this is not valid YAML: mapping values are not allowed here (put a text that",
        ),
        ("a: [1, 2\nb: 3\n", ", line 2: this is not valid YAML: "),
        ('a: "b\n', ", line 2: this is not valid YAML: "),
        ("a: b\n c: d\n", ", line 2: this is not valid YAML: mapping values are not allowed here"),
        ("a: @b\n", ", line 1: this is not valid YAML: found character '@'"),
        ("%YAML 2.0\n---\na: b\n", ", line 1: this is not valid YAML: "),
        ("a: 1\n---\nb: 2\n", ", line 2: this is not valid YAML: a second document"),
        ("a: 1\n...\nb: 2\n", ", line 3: this is not valid YAML: "),
        ("", ": the file is empty"),
        ("\n# nothing\n\n", ": the file is empty"),
        ("? [a]\n: b\n", ", line 1: a name before a colon must be a word"),
        (
            "a: 1\n5: b\n",
            ", line 2: a name before a colon must be a word (in quotes, if it looks like a",
        ),
        ("a: 1\n~: b\n", ", line 2: a name before a colon must be a word"),
        ("a: b\0c\n", ": this is not valid YAML: unacceptable character #x0000"),
        ('a: "\\UFFFFFFFF"\n', r": this is not valid YAML: a \U... escape in quotes is not a character"),
        ('a: "\\U00110000"\n', r": this is not valid YAML: a \U... escape in quotes is not a character"),
    ],
)
def test_yaml_that_could_be_misread_is_refused_at_its_line(text: str, error: str) -> None:
    assert refused(text).startswith(f"some.yaml{error}")


def test_text_that_is_not_utf_8_is_refused_at_its_line() -> None:
    raw = b"a: 1\nb: 2\nc: caf\xe9\n"
    assert refused(raw) == "some.yaml, line 3: this is not UTF-8 text; save it as UTF-8"
    assert "this is not UTF-8 text" in refused("a: b\n".encode("utf-16"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: " + "[" * 200_000, 1),
        ("a: " + "[" * 100 + "]" * 100, 1),
        ("".join(" " * i + "a:\n" for i in range(900)), 50),
    ],
)
def test_nesting_that_is_too_deep_is_refused_at_once(text: str, line: int) -> None:
    assert refused(text) == f"some.yaml, line {line}: this is nested too deeply to be a study file"


def test_the_deepest_allowed_nesting_is_read() -> None:
    text = "[" * DEEPEST + "]" * DEEPEST
    assert str(said(text)) == text


def test_a_small_file_cannot_grow_without_bounds() -> None:
    bomb = "a: &a [x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "anchors" in refused(bomb)


def test_the_number_of_values_in_a_log_event_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_LOGGED", 1000)
    assert load(b"[" + b"1, " * 998 + b"1]", "some.yaml", 1) == [1] * 999
    with pytest.raises(FileError, match="there are more than 1,000 values") as caught:
        load(b"\n[" + b"1, " * 5000, "some.yaml", 7)
    assert caught.value.where == "line 8"


def test_a_file_that_is_too_large_is_refused_before_it_is_read_as_yaml(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"[" * (LARGEST + 1))
    with pytest.raises(FileError, match=r"larger than 1,000,000 bytes; is it a study file\?"):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        read(tmp_path / "missing.yaml")
    with pytest.raises(FileError, match="this is a folder"):
        read(tmp_path)


@given(st.binary() | st.text().map(str.encode) | texts().map(str.encode))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with contextlib.suppress(FileError):
        assert () in parse(raw, "some.yaml").lines


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_in_a_log_are_read_or_refused_with_a_line(raw: bytes) -> None:
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


@given(collections)
def test_flow_writes_one_line_whatever_the_data(data: Any) -> None:
    assert len(flow(data).splitlines()) == 1
    assert len(json_line(data).splitlines()) == 1


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
    expected = repr(data)  # 1 is not true, nor 1.0, nor is 0.0 the same as -0.0
    assert repr(json.loads(line)) == expected
    assert repr(yaml.safe_load(line)) == expected  # YAML 1.1
    assert repr(load(line.encode(), "some.yaml", 1)) == expected  # YAML 1.2
    assert repr(parse(line.encode(), "some.yaml").data) == expected
    for document in (f"--- {line}\n...\n", f"---\n{line}\n"):
        assert repr(yaml.safe_load(document)) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_comes_back_to_its_last_digit(number: float) -> None:
    for line in (json_line(number), json_line([number]), json_line({"ms": number})):
        for value in (json.loads(line), yaml.safe_load(line), load(line.encode(), "some.yaml", 1)):
            (again,) = (
                [value] if isinstance(value, float) else value.values() if isinstance(value, dict) else value
            )
            assert again.hex() == number.hex()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_json_line_never_holds_nan_or_infinity(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line({"ms": number})


@given(st.text(st.characters(codec=None), max_size=10))
@example("caf\udce9.csv")  # a name of a file that is not UTF-8
def test_half_a_character_is_replaced_so_that_the_result_can_be_read(text: str) -> None:
    whole = "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)
    for written in (json_line({"a": text}), block({"a": text}) + "\n", flow({"a": text})):
        assert load(written.encode(), "some.yaml", 1) == {"a": whole}
        assert yaml.safe_load(written) == {"a": whole}


@given(collections)
def test_no_line_of_a_block_could_end_or_begin_a_document(data: Any) -> None:
    for line in block(data).split("\n"):
        assert line != "..."
        assert not line.startswith("---")
        assert not line.startswith("... ")


def test_a_mapping_can_stay_on_one_line_within_a_block() -> None:
    round_ = OneLine(round=1, practice=True, target="no", first="ice cream")
    line = '- {round: 1, practice: true, target: "no", first: ice cream}'
    assert block({"plan": [round_, round_]}) == f"plan:\n{line}\n{line}"


def test_shared_values_are_written_out_without_aliases() -> None:
    same = ["x"]
    assert flow({"a": same, "b": same}) == "{a: [x], b: [x]}"


def test_a_multi_line_text_is_written_as_it_would_be_typed() -> None:
    assert block({"consent": "One.\n\n  Two: {three}\n"}) == "consent: |\n  One.\n\n    Two: {three}"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("tea", "tea"),
        ("nasa-tlx", "nasa-tlx"),
        ("ice cream", "ice cream"),
        *(
            (word, f'"{word}"')
            for word in ("n", "no", "Yes", "OFF", "null", "true", "1e3", "0x1", "", "2026-11-16")
        ),
        ("é", '"é"'),
    ],
)
def test_a_text_that_a_parser_could_misread_is_quoted(text: str, written: str) -> None:
    assert flow([text]) == f"[{written}]"
    assert documents.block({"a": text}) == f"a: {written}"

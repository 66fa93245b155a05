"""Hostile input: what a slip of the hand, a failing disk or an attacker makes of a good file.

``damaged`` works on the bytes of any file, ``misshapen`` and ``nudged`` on the values of a JSON or YAML
document.  All draw what they do from a ``random.Random``, so that the same seed gives the same input.
"""

from __future__ import annotations

import copy
import json
import string
import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

# Texts that are special to a terminal, a parser, a file system or a spreadsheet.
TERMINAL = (
    *("\x1b]52;c;ZXZpbA==\x07", "\x1b[2J", "\x1b]0;title\x1b\\", "\x9b31m", "\x90q\x9c", "\b\b\b"),
    *("\u202eevil", "\u061c", *"\x07\u2066\u200f\x7f\x85\u2028\ufeff\0\x0b\x0c\r"),
)
NUMBERS = (
    *("0", "-1", "2", "-0.0", "0.5", "NaN", "nan", "Infinity", "-inf", "1e999", "1e308", "5e-324", "1e-300"),
    *("1" + "0" * 400, "9" * 5000, "-" + "9" * 40, "0x1F", "1_0", "٣", "1,5", ".5", "007", "2147483648"),
)
SYNTAX = (
    *("", "\r\n", ": ", "- ", "? ", "{}", "[]", "{{", *" \t\n,;:#'\"\\|>%@`{}[]~"),
    *("&a ", "*a", "<<: ", "!!binary ", "!!python/name:os.system ", "null", "true", "no", "\uff1d1+1"),
    *("---\n", "...\n", "\n...\n", '"\\ud800"', '"\\u001b[2J"', '"\\u202e"', "{0.x}", "/dev/zero"),
    *("[" * 3000, '{"a":' * 3000, "- " * 3000, "x" * 300, "x" * 70_000, "é" * 300),
)
TOKENS = (*TERMINAL, *NUMBERS, *SYNTAX)

# Values that may stand where another kind of value belongs.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 0.5, -0.0, 1e308, 1e-300, 10**18, 2**63, 10**400),
    *(float("nan"), float("inf"), "", " ", "tea", "all", [], {}, [[]], [None], {"a": {}}, {"": []}),
    *([0] * 1000, ["tea"] * 3),
)
RAW = tuple(token for token in (*NUMBERS, *SYNTAX) if token.strip())  # stand in a document without quotes


def token(random: Random) -> str:
    """A hostile text; each group is as likely as the others."""
    return random.choice(random.choice((TERMINAL, NUMBERS, SYNTAX)))


def hostile_name(random: Random, name: str) -> str:
    """A file's name, one time in ten a hostile one with the same suffix."""
    if random.random() > 0.1:
        return name
    odd = [token for token in TERMINAL if "\0" not in token]
    odd += ["x\nstudyapp: all is well", "x" * 240, "é" * 120, "-x", "x y", "{x}", "[red]x"]
    if sys.platform == "linux":  # elsewhere names must be text
        odd.append("\udcff")
    stem, dot, suffix = name.rpartition(".")
    return f"{random.choice(odd)}{stem[:2]}{dot}{suffix}"


# Bytes

Slip = Callable[[bytes, Random], bytes]


def _flip(raw: bytes, random: Random) -> bytes:
    at = random.randrange(len(raw) or 1)
    return raw[:at] + bytes([raw[at] ^ 1 << random.randrange(8)]) + raw[at + 1 :] if raw else raw


def _cut(raw: bytes, random: Random) -> bytes:
    at = random.randrange(len(raw) + 1)
    return raw[:at] + raw[at + random.choice((1, 2, 10, 100)) :]


def _end(raw: bytes, random: Random) -> bytes:
    return raw[: random.randrange(len(raw) + 1)]


def _insert(raw: bytes, random: Random) -> bytes:
    at = random.randrange(len(raw) + 1)
    return raw[:at] + _piece(random) + raw[at:]


def _overwrite(raw: bytes, random: Random) -> bytes:
    piece, at = _piece(random), random.randrange(len(raw) + 1)
    return raw[:at] + piece + raw[at + min(len(piece), 20) :]


WORD = (string.ascii_letters + string.digits + "_.-+").encode()


def _replace_word(raw: bytes, random: Random) -> bytes:
    """A name or a number becomes something else, and what is around it stays."""
    begin = end = random.randrange(len(raw) + 1)
    while begin and raw[begin - 1] in WORD:
        begin -= 1
    while end < len(raw) and raw[end] in WORD:
        end += 1
    return raw[:begin] + _piece(random) + raw[end:]


def _lines(raw: bytes, random: Random) -> bytes:
    lines = raw.splitlines(keepends=True) or [b""]
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.choice(("double", "drop", "swap", "many")):
        case "double":
            lines.insert(other, lines[one])
        case "drop":
            del lines[one]
        case "swap":
            lines[one], lines[other] = lines[other], lines[one]
        case "many":
            lines[one] *= 50
    return b"".join(lines)


def _piece(random: Random) -> bytes:
    if random.random() < 0.2:
        return random.choice(
            (random.randbytes(random.randrange(1, 6)), b"\xed\xa0\x80", b"\xc0\x80", b"\xff\xfe")
        )
    return token(random).encode()


SLIPS: tuple[Slip, ...] = (_flip, _cut, _end, _insert, _overwrite, _replace_word, _replace_word, _lines)


def damaged(raw: bytes, random: Random) -> bytes:
    """The file after one or more slips."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        raw = random.choice(SLIPS)(raw, random)
    return raw


def damaged_cells(table: str, random: Random) -> bytes:
    """A table of lines and commas with other values in a few cells."""
    rows = [line.split(",") for line in table.splitlines()]
    for _ in range(random.choice((1, 1, 2, 5))):
        row, other = random.choice(rows), random.choice(rows)
        at = random.randrange(len(row))
        cell = random.choice((token(random), random.choice(other), *other[at : at + 1]))
        row[at] = f'"{cell}"' if random.random() < 0.3 else cell
    return "".join(",".join(row) + "\n" for row in rows).encode()


# Documents


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: the mapping or list that holds it, and its key or index."""
    inner = list(
        data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    )
    for key, value in inner:
        yield data, key
        yield from _places(value)


def misshapen(data: Any, random: Random) -> Any:
    """A document with values of another kind, or missing, misnamed or repeated ones; see as_json."""
    data = copy.deepcopy(data)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        places = list(_places(data))
        if not places:
            return data
        holder, key = random.choice(places)
        match random.choice(("value", "value", "value", "raw", "drop", "rename", "wrap", "repeat", "move")):
            case "value":
                holder[key] = copy.deepcopy(random.choice((token(random), random.choice(VALUES))))
            case "raw":
                holder[key] = _raw(random.randrange(len(RAW)))
            case "drop":
                del holder[key]
            case "rename" if isinstance(holder, dict):
                holder[random.choice((token(random), f"{key}{token(random)}"))] = holder.pop(key)
            case "wrap":
                holder[key] = random.choice(([holder[key]], {"value": holder[key]}, str(holder[key])))
            case "repeat":
                holder[key] = [holder[key]] * random.choice((2, 500))
            case _:
                other, place = random.choice(places)
                holder[key] = copy.deepcopy(other.get(place) if isinstance(other, dict) else other[place:])
    return data


def nudged(data: Any, random: Random) -> Any:
    """A document with other values of the same kind: it looks right, and only its meaning is wrong."""
    data = copy.deepcopy(data)
    places = list(_places(data))
    for _ in range(random.choice((1, 1, 2, 4)) if places else 0):
        holder, key = random.choice(places)
        value = holder[key]
        others = [other[at] for other, at in places if type(other[at]) is type(value)]
        if isinstance(value, int | float) and not isinstance(value, bool) and random.random() < 0.7:
            holder[key] = random.choice(
                (value + 1, value - 1, -value, value * 1000, value + 10**9, 0 * value)
            )
        elif not isinstance(value, dict | list):
            holder[key] = random.choice([not value] if isinstance(value, bool) else others)
        elif isinstance(value, list):
            random.shuffle(value)
    return data


def _raw(number: int) -> str:
    return f"raw {number} here"


def as_json(data: Any, random: Random) -> str:
    """A document as JSON (which is YAML too), sometimes with text in it that is neither."""
    text = json.dumps(data, ensure_ascii=random.random() < 0.5)
    for number, raw in enumerate(RAW):
        text = text.replace(f'"{_raw(number)}"', raw)
    return text

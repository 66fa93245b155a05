"""Receipts: the last link of a finished session's log, short enough to be written down on paper.

A chain holds no secret, so whoever can write a log can write another one with a chain of its own.  What they
can't change is what somebody else has on paper.  When a session finishes, its receipt is shown to participant
and experimenter; a log that still has this receipt is the log of that moment, to its last byte.

A receipt is the first 60 bits of the link: 12 characters of 5 bits, in groups of four, and a check character.
Two logs don't share one by accident: among a million receipts, the chance that any two agree is below one in
a million.  To forge a log with a given receipt takes about 10^18 attempts, each the hash of an event: years
on a fast graphics card.  That protects data against the temptation to improve them; it is not a signature.

The characters are the digits and capital letters without I, L, O and U, as elements of the field with 32
elements.  The check character makes the sum of g^i c_i zero, g a generator of the field.  A wrong character
changes the sum, because no power of g is zero; so does a swap of two different characters, because the powers
are all different.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import Final

from core.errors import SettingError

__all__ = ["ALPHABET", "checked", "receipt_of"]

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOOKALIKES: Final = str.maketrans("OILU", "011V")  # letters that a receipt does not have
IGNORED: Final = re.compile(r"[\s\-\u2010-\u2015\u2212_.]")
CHARACTERS: Final = 12  # of 5 bits, before the check character
BITS: Final = 5 * CHARACTERS
GROUP: Final = 4
MODULUS: Final = 0b100101  # x^5 + x^2 + 1, of which x is a generator


def receipt_of(link: str) -> str:
    """The receipt of a log with this last link, such as ``7K3M-Q9TX-B2HF-5``."""
    number = int(link, 16) >> (4 * len(link) - BITS)
    values = [number >> (BITS - 5 * (i + 1)) & 31 for i in range(CHARACTERS)]
    return _grouped(values)


def checked(text: str) -> str:
    """A receipt as somebody typed it, in its usual form; raises a SettingError if it can't be one."""
    characters = IGNORED.sub("", text).upper().translate(LOOKALIKES)
    for character in characters:
        if character not in ALPHABET:
            raise SettingError(f"{character!r} is not a character of a receipt")
    if len(characters) != CHARACTERS + 1:
        problem = f"it has {len(characters)} characters, but a receipt has {CHARACTERS + 1}"
        raise SettingError(problem)
    values = [ALPHABET.index(character) for character in characters]
    if _check(values[:-1]) != values[-1]:
        raise SettingError("its check character is wrong, so a character was misread, or two were swapped")
    return _grouped(values[:-1])


def _grouped(values: list[int]) -> str:
    characters = "".join(ALPHABET[value] for value in [*values, _check(values)])
    return "-".join(characters[i : i + GROUP] for i in range(0, len(characters), GROUP))


def _check(values: list[int]) -> int:
    """The value of the check character: with it, the sum of x^i c_i from the last character on is zero."""
    return _times_x(reduce(lambda total, value: _times_x(total) ^ value, values, 0))


def _times_x(value: int) -> int:
    doubled = value << 1
    return doubled ^ MODULUS if doubled & 32 else doubled

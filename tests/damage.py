"""Damage to the bytes of a file, drawn at random: what a bad copy, a wrong program or an attacker makes."""

from __future__ import annotations

from functools import reduce

from hypothesis import strategies as st

__all__ = ["damaged"]

# What readers have stumbled over: signs with a meaning in some format, numbers at a limit, half a character.
TRICKY = (
    *(b"\0", b"\n", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"  ", b"\x0b", b"\x1b[2J", b"\xef\xbb\xbf"),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", "\u2028".encode(), "\u202e".encode(), "\u0661".encode()),
    *(b"'", b'"', b'""', b",", b";", b":", b"-", b"_", b"#", b"&a", b"*a", b"!!x", b"{", b"}", b"?", b"|"),
    *(b"nan", b"-inf", b"1e999", b"1e-999", b"-0", b"1_0", b"0x1", b"9" * 30, b"9" * 5000, b"-1", b"1."),
    *(b"true", b"null", b"~", b"[" * 60, b"(" * 60, b"a" * 3000, b"1 " * 3000),
    *(b"PK\x03\x04", b"\x1f\x8b", b"\x93NUMPY\x01\x00"),
)

Edit = tuple[str, float, float, bytes]
_edits = st.tuples(
    st.sampled_from(["replace", "insert", "delete", "repeat", "cut", "move"]),
    st.floats(0, 1),
    st.floats(0, 1),
    st.one_of(st.sampled_from(TRICKY), st.binary(min_size=1, max_size=6)),
)


def damaged(*whole: bytes) -> st.SearchStrategy[bytes]:
    """One of these files, with a few random changes."""
    return st.builds(
        lambda content, edits: reduce(_edited, edits, content),
        st.sampled_from(whole),
        st.lists(_edits, min_size=1, max_size=4),
    )


def _edited(content: bytes, edit: Edit) -> bytes:
    kind, at, length, new = edit
    begin = int(at * len(content))
    end = begin + int(length**4 * (len(content) - begin))  # mostly short
    before, part, after = content[:begin], content[begin:end], content[end:]
    match kind:
        case "replace":
            return before + new + content[begin + len(new) :]
        case "insert":
            return before + new + content[begin:]
        case "delete":
            return before + after
        case "repeat":
            return before + part * 3 + after
        case "move":
            return part + before + after
    return before

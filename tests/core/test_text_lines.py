"""A text file is read line by line, whatever its line ends, and no further than it may go."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import strategies as st
from proofs import holds_for

from core import files as module
from core.errors import FileError
from core.files import text_lines

PATH = Path("some.txt")


def read(content: bytes, longest: int = 100, most: int = 1000) -> list[tuple[int, str]]:
    return list(text_lines(PATH, io.BytesIO(content), longest=longest, most=most))


@holds_for(200, 5000, content=st.text(alphabet="ab\n\ré", max_size=30), chunk=st.integers(1, 8))
def test_lines_are_those_of_the_whole_text_however_it_is_cut_into_pieces(
    content: str, chunk: int, tmp_path: Path
) -> None:
    del tmp_path
    before, module.CHUNK = module.CHUNK, chunk
    try:
        assert read(content.encode()) == list(enumerate(content.splitlines(), start=1))
    finally:
        module.CHUNK = before


def test_a_mark_of_the_byte_order_is_no_part_of_the_text() -> None:
    assert read(b"\xef\xbb\xbfa\nb") == [(1, "a"), (2, "b")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ab\n" + b"c" * 101 + b"\n", "some.txt, line 2: this line has more than 100 bytes"),
        (b"c" * 3_000_000, "some.txt, line 1: this line has more than 100 bytes"),
        (b"a\n" * 1001, "some.txt: the file has more than 1,000 lines; keep only some of them"),
        (b"a\nb\xff\n", "some.txt, line 2: this is not UTF-8 text; save the file as UTF-8"),
        (b"a\nb\0\n", "some.txt, line 2: this line has a NUL byte"),
    ],
)
def test_a_file_that_is_no_such_text_is_refused_with_the_line(content: bytes, message: str) -> None:
    with pytest.raises(FileError) as caught:
        read(content)
    assert str(caught.value).startswith(message)


def test_the_rest_of_a_line_that_is_too_long_is_never_read() -> None:
    file = io.BytesIO(b"c" * 10_000_000)
    with pytest.raises(FileError, match="more than 100 bytes"):
        list(text_lines(PATH, file, longest=100, most=1000))
    assert file.tell() == module.CHUNK

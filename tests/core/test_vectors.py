"""Every form of word-vector file is read correctly, and damaged files are refused."""

from __future__ import annotations

import io
import os
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core import vectors
from core.errors import FileError
from core.vectors import form_for, read, write

WORDS = ["cat", "Katze", "kočka", "猫"]
NUMBERS = np.array([[1, -2.5, 0.1], [3e-8, 0, -7], [0.25, 1e20, 3], [-0.0, 5, 6.5]], dtype=np.float32)


def glove(words: list[str], numbers: NDArray[np.float32], end: str = "\n") -> bytes:
    rows = (" ".join([word, *map(str, row)]) for word, row in zip(words, numbers, strict=True))
    return "".join(row + end for row in rows).encode()


def word2vec_text(end: str = "\n") -> bytes:
    return f"4 3{end}".encode() + glove(WORDS, NUMBERS, end)


def word2vec_binary(end: str = "\n") -> bytes:
    rows = (f"{word} ".encode() + row.tobytes() for word, row in zip(WORDS, NUMBERS, strict=True))
    return b"4 3\n" + b"".join(row + end.encode() for row in rows)


BINARY = {
    "word2vec binary with newlines": word2vec_binary(),
    "word2vec binary without newlines": word2vec_binary(""),
}
COUNTED = BINARY | {
    "word2vec text": word2vec_text(),
    "word2vec text of the original tool, with a space at the end of a line": word2vec_text(" \n"),
    "word2vec text with Windows line ends": word2vec_text("\r\n"),
    "word2vec text with a byte order mark": b"\xef\xbb\xbf" + word2vec_text(),
    "word2vec text with blank lines": word2vec_text().replace(b"Katze", b"\n\nKatze"),
    "word2vec text with tabs": word2vec_text().replace(b" ", b"\t"),
    "word2vec text with wide gaps": word2vec_text().replace(b" ", b"   "),
}
FILES = COUNTED | {
    "GloVe text": glove(WORDS, NUMBERS),
    "GloVe text with Windows line ends": glove(WORDS, NUMBERS, "\r\n"),
    "GloVe text with a byte order mark": b"\xef\xbb\xbf" + glove(WORDS, NUMBERS),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "some.vectors"


def is_whole(file: Path) -> bool:
    records = list(read(file))
    assert all(record.vector.dtype == np.float32 for record in records)
    same = np.array_equal([record.vector for record in records], NUMBERS)
    return [record.word for record in records] == WORDS and same


def test_every_form_gives_the_same_words_and_numbers(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "OFTEN", 2)
    for name, content in FILES.items():
        file.write_bytes(content)
        assert is_whole(file), name
        counts: list[int] = []
        list(read(file, progress=counts.append))
        assert 0 < counts[0] < counts[1] <= len(content), name
    for content in BINARY.values():
        file.write_bytes(content)
        for chunk in range(1, 60):
            monkeypatch.setattr(vectors, "CHUNK", chunk)
            assert is_whole(file), chunk
        file.write_bytes(content.replace(b"4 3", b"3 3", 1))
        for chunk in range(1, 60):
            monkeypatch.setattr(vectors, "CHUNK", chunk)
            with pytest.raises(FileError, match="record 3: the file continues after the 3 words"):
                list(read(file))


def test_a_record_has_its_line_or_its_number(file: Path) -> None:
    for name, place in (
        ("word2vec text", "line 3"),
        ("GloVe text", "line 2"),
        (next(iter(BINARY)), "record 2"),
    ):
        file.write_bytes(FILES[name])
        assert list(read(file))[1].place == place


def test_numbers_and_spaces_in_words_are_kept(file: Path) -> None:
    for first in ("20", "1e5", "-3"):  # as the first word of GloVe text, no header
        file.write_text(f"{first} 0.5 0.25\n. 1 2\ncat 3 4\n")
        word, vector, _ = next(read(file))
        assert (word, vector.tolist()) == (first, [0.5, 0.25])
    for header in ("", "4 2\n"):
        file.write_text(f"{header}at name@domain.com 1 2\n. . . 3 4\ncat 5 6\ndog 7 8\n")
        records = list(read(file))
        assert [record.word for record in records] == ["at name@domain.com", ". . .", "cat", "dog"]
        assert [record.vector.tolist() for record in records] == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_only_wanted_words_are_parsed(file: Path) -> None:
    asked: list[bytes] = []

    def wanted(name: bytes) -> bool:
        asked.append(name)
        return name == b"cat"

    file.write_bytes(b"3 2\nlatin-\xe9 1 2\nbroken x y\ncat 1 2\n")
    assert [record.word for record in read(file, wanted)] == ["cat"]
    assert asked == [b"latin-\xe9", b"broken", b"cat"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_can_be_read_where_it_may(file: Path) -> None:
    os.mkfifo(file)
    with pytest.raises(FileError, match="an ordinary file is needed"):
        list(read(file))
    writer = threading.Thread(target=file.write_bytes, args=(word2vec_binary(),))
    writer.start()
    assert [record.word for record in read(file, pipes=True)] == WORDS
    writer.join()


OTHER = "line 1: this is not a file of word vectors"
BAD = {
    b"": "the file is empty",
    b"\x1f\x8b\x08\x00": "this is a gzip file; decompress it first",
    b"PK\x03\x04\x14\x00": "this is a zip file; decompress it first",
    b"It was a dark night.\nIt rained.\n": OTHER,
    b"cat\ndog\n": OTHER,
    b"\x80\x04\x95\x10\x00\nabc\x94": OTHER,  # a pickle
    b"\n\n": OTHER,
    b"cat,1,2\ndog,1,2\n": OTHER,
    (b"x" + b" 1" * 10_001 + b"\n") * 2: OTHER,
    b"0 3\n": "line 1: the header promises 0 words of 3 numbers",
    b"3 0\n": "line 1: the header promises 3 words of 0 numbers",
    b"3 999999999\na 1": "line 1: the header promises 3 words of 999,999",
    b"3 2\n": "record 1: the file ends here, before the 3 words",
    b"2 3\ncat 1 2 3\ndog 1 2\n": "line 3: 2 instead of 3 numbers follow 'dog'",
    b"2 3\ncat 1 2 3\ndog  1 2\n": "line 3: 2 instead of 3 numbers follow 'dog'",
    b"a 1 2\nb 3 4\ndog 1\n": "line 3: 1 instead of 2 numbers follow 'dog'",
    b"2 2\ncat 1 2\ndog 1 oops\n": "line 3: 'oops', number 2 of 'dog', is not a number",
    b"2 2\ncat 1 oops\ndog 1 2\n": "line 2: 'oops', number 2 of 'cat', is not a number",
    b"2 2\ncat 1 2\ndog 1 0,5\n": "line 3: '0,5', number 2 of 'dog', is not a number",
    b"2 2\ncat 1 2\ndog 1 1_0\n": "line 3: '1_0', number 2 of 'dog', is not a number",
    b"3 2\ncat 1 2\ndog 3 4\n": "line 1: the header promises 3 words, but the file has 2:",
    b"1 2\ncat 1 2\ndog 3 4\n": "line 3: 'dog' is one word too many: the header promises 1 word;",
    b"2 2\ncat 1 2\ndog 3 4": "line 3: the last line does not end with a newline",
    b"2 2\ncat 1 2\ncaf\xe9 3 4\n": "line 3: the word 'caf�' is not in UTF-8",
    b"2 1\ncat \0\0\0\0caf\xe9 \0\0\0\0": "record 2: the word 'caf�' is not in UTF-8",
    word2vec_binary()[:-4]: "record 4: the file ends within '猫', before the 4 words of 3 numbers",
    word2vec_binary()[:-15]: "record 4: the file ends here, before the 4 words of 3 numbers",
    word2vec_binary().replace(
        b"4 3", b"3 3", 1
    ): "record 3: the file continues after the 3 words of 3 numbers",
    b"x" * 1001 + b" 1 2\ncat 3 4\n": "'... has 1,001 bytes; a word has at most 1,000",
    b"2 1\n" + b"x" * 1001 + b" \0\0\0\0": "'... has 1,001 bytes; a word has at most 1,000",
}


def test_a_bad_file_is_refused_with_the_place_of_the_fault(file: Path) -> None:
    for content, message in BAD.items():
        file.write_bytes(content)
        with pytest.raises(FileError) as caught:
            list(read(file))
        assert str(caught.value).startswith(str(file))
        assert message in str(caught.value), content[:50]
        assert "\n" not in str(caught.value)
    file.write_bytes(b"x" * 1000 + b" 1 2\ncat 3 4\n")
    assert len(next(read(file)).word) == 1000


def test_an_endless_line_or_word_is_refused_early(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "CHUNK", 100)
    monkeypatch.setattr(vectors, "LONGEST", 1000)
    file.write_bytes(b"cat 1 2\ndog 3 4\n" + b"x" * 2000)
    with pytest.raises(FileError, match="line 3: this line is too long"):
        list(read(file))
    file.write_bytes(b"9 1\ncat \0\0\0\0" + b"x" * 2000)
    with pytest.raises(FileError, match="record 2: this word is too long"):
        list(read(file))


def test_a_file_cut_anywhere_is_refused_unless_nothing_is_lost(file: Path) -> None:
    """But for GloVe text that is cut between two lines."""
    for name, content in FILES.items():
        for length in range(len(content)):
            if name not in COUNTED and content[:length].endswith(b"\n"):
                continue
            file.write_bytes(content[:length])
            with suppress(FileError):
                assert is_whole(file), (name, length)
                assert content[length:].strip() == b"", (name, length)  # no more than the newline at the end


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.vectors"
    file.write_bytes(b"2 2\n" + content)
    with suppress(FileError):
        assert len(list(read(file))) == 2


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_text_gives_every_float32_back_exactly(numbers: list[float]) -> None:
    row = np.array(numbers, dtype=np.float32)
    file = io.BytesIO()
    write(file, "text", ["word"], row[None])
    figures = file.getvalue().split(b"\n")[1].split()[1:]
    back = np.array([float(figure) for figure in figures]).astype(np.float32)
    assert back.tobytes() == row.tobytes()


def test_the_form_of_a_file_follows_from_its_name_and_must_hold_its_words() -> None:
    assert (form_for("a.txt", ["ice cream"]), form_for("a.bin", ["cat"])) == ("text", "binary")
    with pytest.raises(FileError, match=r"a\.csv: the name must end in \.txt .*or \.bin"):
        form_for("a.csv", ["cat"])
    with pytest.raises(FileError, match=r"a\.bin: a binary file can't hold 'ice cream'"):
        form_for("a.bin", ["cat", "ice cream"])


def test_a_signalling_nan_is_read_like_any_other(file: Path) -> None:
    file.write_bytes(b"1 2\ncat \x00\x00\x81\x7f\x00\x00\x80?\n")
    (record,) = read(file)
    assert np.isnan(record.vector[0])
    assert record.vector.astype(np.float64)[1] == record.vector.any() == 1  # warnings are errors here

"""Every form of word-vector file is read correctly, and damaged files are refused."""

from __future__ import annotations

import io
import os
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core import vectors
from core.errors import FileError
from core.vectors import form_for, read, write

WORDS = ["cat", "Katze", "kočka", "猫"]
NUMBERS = np.array([[1, -2.5, 0.1], [3e-8, 0, -7], [0.25, 1e20, 3], [-0.0, 5, 6.5]], dtype=np.float32)


def word2vec_text(words: list[str], numbers: NDArray[np.float32], end: str = "\n") -> bytes:
    return f"{len(words)} {numbers.shape[1]}{end}".encode() + glove(words, numbers, end)


def glove(words: list[str], numbers: NDArray[np.float32], end: str = "\n") -> bytes:
    rows = (" ".join([word, *map(str, row)]) for word, row in zip(words, numbers, strict=True))
    return "".join(row + end for row in rows).encode()


def word2vec_binary(words: list[str], numbers: NDArray[np.float32], end: str = "\n") -> bytes:
    rows = (f"{word} ".encode() + row.tobytes() for word, row in zip(words, numbers, strict=True))
    return f"{len(words)} {numbers.shape[1]}\n".encode() + b"".join(row + end.encode() for row in rows)


FILES = {
    "word2vec text": word2vec_text(WORDS, NUMBERS),
    "word2vec text of the original tool, with a space at the end of a line": word2vec_text(
        WORDS, NUMBERS, " \n"
    ),
    "word2vec text with Windows line ends": word2vec_text(WORDS, NUMBERS, "\r\n"),
    "word2vec text with a byte order mark": b"\xef\xbb\xbf" + word2vec_text(WORDS, NUMBERS),
    "word2vec text with blank lines": word2vec_text(WORDS, NUMBERS).replace(b"Katze", b"\n\nKatze"),
    "word2vec text with tabs": word2vec_text(WORDS, NUMBERS).replace(b" ", b"\t"),
    "word2vec text with wide gaps": word2vec_text(WORDS, NUMBERS).replace(b" ", b"   "),
    "word2vec binary with newlines": word2vec_binary(WORDS, NUMBERS),
    "word2vec binary without newlines": word2vec_binary(WORDS, NUMBERS, ""),
    "GloVe text": glove(WORDS, NUMBERS),
    "GloVe text with Windows line ends": glove(WORDS, NUMBERS, "\r\n"),
    "GloVe text with a byte order mark": b"\xef\xbb\xbf" + glove(WORDS, NUMBERS),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "some.vectors"


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_every_form_gives_the_same_words_and_numbers(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    records = list(read(file))
    assert [record.word for record in records] == WORDS
    np.testing.assert_array_equal([record.vector for record in records], NUMBERS)
    assert all(record.vector.dtype == np.float32 for record in records)


@pytest.mark.parametrize("name", [name for name in FILES if "binary" in name])
def test_a_binary_file_reads_the_same_in_pieces_of_any_size(
    file: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(FILES[name])
    for chunk in range(1, 60):
        monkeypatch.setattr(vectors, "CHUNK", chunk)
        records = list(read(file))
        assert [record.word for record in records] == WORDS
        np.testing.assert_array_equal([record.vector for record in records], NUMBERS)


def test_a_record_has_its_line_or_its_number(file: Path) -> None:
    places = {
        word2vec_text(WORDS, NUMBERS): "line 3",
        glove(WORDS, NUMBERS): "line 2",
        word2vec_binary(WORDS, NUMBERS): "record 2",
    }
    for content, place in places.items():
        file.write_bytes(content)
        assert list(read(file))[1].place == place


@pytest.mark.parametrize("first", ["20", "1e5", "-3"])
def test_a_number_as_the_first_word_of_glove_text_is_not_taken_for_a_header(file: Path, first: str) -> None:
    file.write_text(f"{first} 0.5 0.25\n. 1 2\ncat 3 4\n")
    word, vector, _ = next(read(file))
    assert word == first
    assert vector.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("header", ["", "4 2\n"])
def test_spaces_within_a_word_are_kept(file: Path, header: str) -> None:
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


def test_progress_goes_up_to_about_the_size_of_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "OFTEN", 2)
    for content in FILES.values():
        file.write_bytes(content)
        counts: list[int] = []
        list(read(file, progress=counts.append))
        assert 0 < counts[0] < counts[1] <= len(content)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_can_be_read(file: Path) -> None:
    os.mkfifo(file)
    writer = threading.Thread(target=file.write_bytes, args=(word2vec_binary(WORDS, NUMBERS),))
    writer.start()
    assert [record.word for record in read(file, pipes=True)] == WORDS
    writer.join()


BAD = {
    "an empty file": (b"", "the file is empty"),
    "a gzip file": (b"\x1f\x8b\x08\x00", "this is a gzip file; decompress it first"),
    "a zip file": (b"PK\x03\x04\x14\x00", "this is a zip file; decompress it first"),
    "prose": (b"It was a dark night.\nIt rained.\n", "line 1: this is not a file of word vectors"),
    "a list of words": (b"cat\ndog\n", "line 1: this is not a file of word vectors"),
    "a pickle": (b"\x80\x04\x95\x10\x00\nabc\x94", "line 1: this is not a file of word vectors"),
    "a blank file": (b"\n\n", "line 1: this is not a file of word vectors"),
    "numbers with commas": (b"cat,1,2\ndog,1,2\n", "line 1: this is not a file of word vectors"),
    "a header of no words": (b"0 3\n", "line 1: the header promises 0 words of 3 numbers"),
    "a header of no numbers": (b"3 0\n", "line 1: the header promises 3 words of 0 numbers"),
    "a header of too many numbers": (
        b"3 999999999\na 1",
        "line 1: the header promises 3 words of 999,999",
    ),
    "a header alone": (b"3 2\n", "record 1: the file ends here, before the 3 words"),
    "too few numbers": (b"2 3\ncat 1 2 3\ndog 1 2\n", "line 3: 2 instead of 3 numbers follow 'dog'"),
    "too few numbers behind a gap": (
        b"2 3\ncat 1 2 3\ndog  1 2\n",
        "line 3: 2 instead of 3 numbers follow 'dog'",
    ),
    "too few numbers without header": (
        b"a 1 2\nb 3 4\ndog 1\n",
        "line 3: 1 instead of 2 numbers follow 'dog'",
    ),
    "no number": (b"2 2\ncat 1 2\ndog 1 oops\n", "line 3: 'oops', number 2 of 'dog', is not a number"),
    "no number in the first line": (
        b"2 2\ncat 1 oops\ndog 1 2\n",
        "line 2: 'oops', number 2 of 'cat', is not",
    ),
    "a decimal comma": (b"2 2\ncat 1 2\ndog 1 0,5\n", "line 3: '0,5', number 2 of 'dog', is not a number"),
    "a Python number": (b"2 2\ncat 1 2\ndog 1 1_0\n", "line 3: '1_0', number 2 of 'dog', is not a number"),
    "fewer words than promised": (
        b"3 2\ncat 1 2\ndog 3 4\n",
        "line 1: the header promises 3 words, but the file has 2:",
    ),
    "more words than promised": (
        b"1 2\ncat 1 2\ndog 3 4\n",
        "line 3: 'dog' is one word too many: the header promises 1 word;",
    ),
    "no newline at the end": (b"2 2\ncat 1 2\ndog 3 4", "line 3: the last line does not end with a newline"),
    "Latin-1": ("2 2\ncat 1 2\ncafé 3 4\n".encode("latin-1"), "line 3: the word 'caf�' is not in UTF-8"),
    "binary Latin-1": (
        word2vec_binary(["cat", "caf#"], NUMBERS[:2]).replace(b"#", b"\xe9"),
        "record 2: the word 'caf�' is not in UTF-8",
    ),
    "binary cut within the numbers": (
        word2vec_binary(WORDS, NUMBERS)[:-4],
        "record 4: the file ends within '猫', before the 4 words of 3 numbers",
    ),
    "binary cut within a word": (
        word2vec_binary(WORDS, NUMBERS)[:-15],
        "record 4: the file ends here, before the 4 words of 3 numbers",
    ),
    "binary with more than promised": (
        word2vec_binary(WORDS, NUMBERS).replace(b"4 3", b"3 3", 1),
        "record 3: the file continues after the 3 words of 3 numbers",
    ),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_with_the_place_of_the_fault(file: Path, content: bytes, message: str) -> None:
    file.write_bytes(content)
    with pytest.raises(FileError) as caught:
        list(read(file))
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"x" * 1001 + b" 1 2\ncat 3 4\n", b"2 1\n" + b"x" * 1001 + b" \0\0\0\0"])
def test_a_word_that_is_wanted_may_not_be_very_long(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(FileError, match=r"the word 'x+'\.\.\. has 1,001 bytes; a word has at most 1,000"):
        list(read(file))
    file.write_bytes(content.replace(b"x", b"", 1))
    assert len(next(read(file)).word) == 1000


def test_a_line_of_very_many_numbers_is_refused(file: Path) -> None:
    file.write_bytes((b"x" + b" 1" * 10_001 + b"\n") * 2)
    with pytest.raises(FileError, match="line 1: this is not a file of word vectors"):
        list(read(file))


def test_an_endless_line_or_word_is_refused_early(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "CHUNK", 100)
    monkeypatch.setattr(vectors, "LONGEST", 1000)
    file.write_bytes(b"cat 1 2\ndog 3 4\n" + b"x" * 2000)
    with pytest.raises(FileError, match="line 3: this line is too long"):
        list(read(file))
    file.write_bytes(b"9 1\ncat \0\0\0\0" + b"x" * 2000)
    with pytest.raises(FileError, match="record 2: this word is too long"):
        list(read(file))


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("GloVe")])
def test_a_file_cut_anywhere_is_refused_unless_nothing_is_lost(file: Path, name: str) -> None:
    content = FILES[name]
    for length in range(len(content)):
        file.write_bytes(content[:length])
        try:
            records = list(read(file))
        except FileError:
            continue
        assert content[length:].strip() == b""  # no more than the newline at the end is lost
        assert [record.word for record in records] == WORDS
        np.testing.assert_array_equal([record.vector for record in records], NUMBERS)


def test_glove_text_cut_within_a_line_is_refused(file: Path) -> None:
    content = glove(WORDS, NUMBERS)
    for length in range(len(content)):
        if content[:length].endswith(b"\n"):
            continue
        file.write_bytes(content[:length])
        with pytest.raises(FileError):
            list(read(file))


@settings(deadline=None)  # a disk takes the time it takes
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


def test_a_file_name_without_a_known_suffix_is_refused() -> None:
    assert form_for("a.txt", ["cat"]) == "text"
    assert form_for("a.bin", ["cat"]) == "binary"
    with pytest.raises(FileError, match=r"a\.csv: the name must end in \.txt .*or \.bin"):
        form_for("a.csv", ["cat"])


def test_only_text_files_can_hold_a_word_with_a_space() -> None:
    assert form_for("a.txt", ["ice cream"]) == "text"
    with pytest.raises(FileError, match=r"a\.bin: a binary file can't hold 'ice cream'"):
        form_for("a.bin", ["cat", "ice cream"])


def test_a_signalling_nan_is_read_like_any_other(file: Path) -> None:
    file.write_bytes(b"1 2\ncat \x00\x00\x81\x7f\x00\x00\x80?\n")
    (record,) = read(file)
    assert np.isnan(record.vector[0])
    assert record.vector.astype(np.float64)[1] == record.vector.any() == 1  # warnings are errors here

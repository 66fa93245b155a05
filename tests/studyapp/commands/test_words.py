"""``studyapp words build`` writes the word set, or says in one line why it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from core import vectors
from core.vocabulary import Vocabulary
from studyapp.cli import main

VECTORS = (
    "cat 1 2\ndog 3 4\nice_cream 7 8\nice cream 1 1\ncafé 9 1\nsame 1 3\nsame 1 3\nother 1 3\nother 2 3\n"
)


class Outcome(NamedTuple):
    code: int
    printed: str
    error: str


class Bench:
    """A folder with vectors and a list, and the command run on them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.vectors = folder / "large.vectors"
        self.list = folder / "mine.list"
        self.out = folder / "set.txt"
        self._capsys = capsys
        self.vectors.write_text(VECTORS, encoding="utf-8")
        self.list.write_text("dog\ncat\n")

    def arguments(self) -> list[str]:
        places = {"--vectors": self.vectors, "--words": self.list, "--out": self.out}
        return ["words", "build", *(str(part) for pair in places.items() for part in pair)]

    def build(self, *options: str) -> Outcome:
        return Outcome(main([*self.arguments(), *options]), *self._capsys.readouterr())

    def built(self, content: str | bytes) -> Vocabulary:
        """The set that a list of words makes."""
        self.list.write_bytes(content if isinstance(content, bytes) else content.encode())
        assert self.build("--force").code == 0
        return Vocabulary.load(self.out)

    def refused(self, *options: str) -> str:
        """The one line that says why nothing was written."""
        before = sorted(self.folder.iterdir())
        code, printed, error = self.build(*options)
        assert (code, printed) == (2, "")
        assert error.startswith("studyapp: ")
        assert error.count("\n") == 1
        assert sorted(self.folder.iterdir()) == before
        return error


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def test_the_set_has_the_words_of_the_list_in_its_order_and_is_printed_with_its_hash(bench: Bench) -> None:
    made = bench.build()
    sha256 = Vocabulary.load(bench.out).sha256
    assert made == (0, f"{bench.out}: 2 words, 2 dimensions, sha256 {sha256}\n", "")
    mine = bench.built("# my words\n\n  dog\t\ncafé\r\n#cat\ncat\n")
    assert mine.words == ("dog", "café", "cat")
    assert mine.vectors.tolist() == [[3, 4], [9, 1], [1, 2]]
    assert bench.built(b"\xef\xbb\xbfdog\r\n\r\ncat\r\n").words == ("dog", "cat")  # saved on Windows
    assert bench.built("ice cream\ncat\n").words == ("ice cream", "cat")
    assert bench.built("same\ncat\n").vectors.tolist() == [[1, 3], [1, 2]]  # twice with the same numbers
    bench.vectors.write_bytes(b"cat 1 2\nzero 0 0\nlatin-\xe9 1 2\nwhat x y\n 1 2\ndog 3 4\n")
    assert bench.built("dog\ncat\n").words == ("dog", "cat")  # faults of other words do no harm


def test_text_and_binary_hold_the_same_set(bench: Bench) -> None:
    text, binary = bench.out, bench.out.with_suffix(".bin")
    for bench.out in (text, binary):
        assert bench.build().code == 0
    assert text.read_text() == "2 2\ndog 3.0 4.0\ncat 1.0 2.0\n"
    assert binary.read_bytes() == b"2 2\ndog \0\0\x40\x40\0\0\x80\x40\ncat \0\0\x80\x3f\0\0\0\x40\n"
    assert Vocabulary.load(text).sha256 == Vocabulary.load(binary).sha256


def test_words_that_the_vectors_lack_are_listed_with_their_lines(bench: Bench) -> None:
    bench.list.write_text("cat\nCat\n\nunicorn\n")
    problem = f"2 of its 3 words are not in {bench.vectors}: 'Cat' (line 2), 'unicorn' (line 4)"
    assert f"{bench.list}: {problem}; change the list" in bench.refused()
    bench.list.write_text("".join(f"no{index}\n" for index in range(13)))
    error = bench.refused()
    assert "13 of its 13 words" in error
    assert "'no9' (line 10) and 3 more; change" in error


def test_a_list_that_cannot_be_used_is_refused_at_its_line(bench: Bench) -> None:
    few = "a word set needs at least 2 words, one per line; this list has"
    for content, message in (
        (b"cat\ndog\n\ncat\n", ", line 4: 'cat' is already on line 1"),
        (b"cat\n", f": {few} 1"),
        (b"# cat\n# dog\n", f": {few} 0"),
        ("cat\ncafé\n".encode("latin-1"), ", line 2: this is not UTF-8 text; save the file as UTF-8"),
        ("cat\ndog\n".encode("utf-16"), ", line 1: this is not UTF-8 text; save the file as UTF-8"),
        (b"cat\nd\tog\n", r", line 2: the word 'd\tog' contains U+0009, which can't be seen"),
        ("cat\nd\u2067og\n".encode(), r", line 2: the word 'd\u2067og' contains U+2067, which can't be seen"),
        (b"cat 1 2\ndog 3 4\n", ", line 1: the word 'cat 1 2' ends with a number"),  # vectors
        (b"cat\n" + b"x" * 1001, ", line 2: this line has more than 1,000 bytes; is this the right file?"),
        (b"".join(b"w%d\n" % n for n in range(100_001)), ": the file has more than 100,000 lines"),
    ):
        bench.list.write_bytes(content)
        assert f"{bench.list}{message}" in bench.refused()


def test_vectors_that_cannot_be_used_are_refused_at_their_place(bench: Bench) -> None:
    for content, message in (
        (b"3 2\ncat 1 2\ndog 3 4\n", ", line 1: the header promises 3 words, but the file has 2"),
        (b"cat 1 2\ndog 0 0\n", ", line 2: the vector of 'dog' is all zeros"),
        (b"cat 1 2\ndog nan 2\ndog nan 2\n", ", line 2: the vector of 'dog' has a number that is not finite"),
        (b"cat 1 2\ndog 1 3\ndog 2 3\n", ", line 3: 'dog' has different numbers here than at line 2"),
    ):
        bench.vectors.write_bytes(content)
        assert f"{bench.vectors}{message}" in bench.refused()
    for place, message in (
        (Path("/dev/zero"), ", line 1: this is not a file of word vectors"),
        (bench.folder / "no", ": there is no such file"),
    ):
        bench.vectors = place
        assert f"{place}{message}" in bench.refused()


def test_a_place_that_cannot_be_written_to_is_refused_before_the_long_reading(bench: Bench) -> None:
    bench.out.write_text("precious")
    bench.list.write_text("ice cream\ncat\n")
    bench.vectors = bench.folder / "never opened"
    (bench.folder / "folder.txt").mkdir()
    for name, message in (
        ("set.txt", "this file already exists"),
        ("set.csv", "the name must end in .txt"),
        ("missing/set.txt", "there is no folder"),
        ("set.bin", "a binary file can't hold 'ice cream'"),
    ):
        bench.out = bench.folder / name
        assert f"{bench.out}: {message}" in bench.refused()
    bench.out = bench.folder / "folder.txt"
    assert f"{bench.out}: this is a folder" in bench.refused("--force")
    assert (bench.folder / "set.txt").read_text() == "precious"


def test_an_interruption_while_reading_or_writing_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = sorted(bench.folder.iterdir())
    for name in ("write", "_record"):
        with monkeypatch.context() as patch:
            patch.setattr(vectors, name, interrupted)
            assert bench.build() == (130, "", "studyapp: interrupted\n")
        assert sorted(bench.folder.iterdir()) == before


def test_torch_is_not_loaded(bench: Bench) -> None:
    code = (
        "import sys; from studyapp.cli import main; assert main(sys.argv[1:]) == 0;"
        "sys.exit(len({'scipy', 'torch', 'yaml', 'textual'} & set(sys.modules)))"
    )
    subprocess.run(
        [sys.executable, "-c", code, *bench.arguments()], cwd=Path(__file__).parents[3], check=True
    )


@pytest.mark.skipif("STUDYAPP_GOOGLE_NEWS" not in os.environ, reason="STUDYAPP_GOOGLE_NEWS names no file")
def test_the_words_of_the_study_are_cut_from_google_news_in_every_form(bench: Bench) -> None:
    """The real thing, where it is at hand: a word2vec binary file of Google News."""
    study20 = Vocabulary.load("study20")
    bench.list.write_text("".join(f"{word}\n" for word in study20.words))
    binary = Path(os.environ["STUDYAPP_GOOGLE_NEWS"])
    text, glove = bench.folder / "text", bench.folder / "glove"
    whole = Vocabulary.load(binary)
    with text.open("wb") as file:
        vectors.write(file, "text", whole.words, whole.vectors)
    glove.write_bytes(text.read_bytes().partition(b"\n")[2])
    for bench.vectors in (binary, text, glove):
        assert bench.build("--force").code == 0
        assert Vocabulary.load(bench.out).sha256 == study20.sha256

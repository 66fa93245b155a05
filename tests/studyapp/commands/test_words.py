"""``studyapp words build`` writes the word set, or says in one line why it cannot."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from core import vectors
from core.vocabulary import Vocabulary
from studyapp.cli import main

REPOSITORY = Path(__file__).parents[3]

VECTORS = """\
cat 1 2
dog 3 4
Dog 5 6
ice_cream 7 8
ice cream 1 1
café 9 1
same 1 3
same 1 3
other 1 3
other 2 3
"""


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


# What it makes


def test_the_set_keeps_the_order_of_the_list(bench: Bench) -> None:
    bench.list.write_text("# my words\n\n  dog\t\ncafé\r\n#cat\ncat\n", encoding="utf-8")
    assert bench.build().code == 0
    made = Vocabulary.load(bench.out)
    assert made.words == ("dog", "café", "cat")
    assert made.vectors.tolist() == [[3, 4], [9, 1], [1, 2]]


def test_the_result_is_printed_with_its_hash(bench: Bench) -> None:
    made = bench.build()
    fingerprint = Vocabulary.load(bench.out).sha256
    assert made == (0, f"{bench.out}: 2 words, 2 dimensions, sha256 {fingerprint}\n", "")


def test_text_and_binary_hold_the_same_set(bench: Bench) -> None:
    bench.build()
    bench.out = bench.out.with_suffix(".bin")
    bench.build()
    text, binary = bench.out.with_suffix(".txt"), bench.out
    assert text.read_text() == "2 2\ndog 3.0 4.0\ncat 1.0 2.0\n"
    assert binary.read_bytes() == b"2 2\ndog \0\0\x40\x40\0\0\x80\x40\ncat \0\0\x80\x3f\0\0\0\x40\n"
    assert Vocabulary.load(text).sha256 == Vocabulary.load(binary).sha256


def test_a_list_saved_on_windows_is_read_like_any_other(bench: Bench) -> None:
    bench.list.write_bytes(b"\xef\xbb\xbfdog\r\n\r\ncat\r\n")
    assert bench.build().code == 0
    assert Vocabulary.load(bench.out).words == ("dog", "cat")


def test_text_sets_can_have_words_with_spaces(bench: Bench) -> None:
    bench.list.write_text("ice cream\ncat\n")
    assert bench.build().code == 0
    assert Vocabulary.load(bench.out).words == ("ice cream", "cat")


def test_force_overwrites_and_nothing_else_does(bench: Bench) -> None:
    bench.out.write_text("precious")
    assert f"{bench.out}: this file already exists" in bench.refused()
    assert bench.out.read_text() == "precious"
    assert bench.build("--force").code == 0
    assert Vocabulary.load(bench.out).words == ("dog", "cat")


def test_a_word_repeated_with_the_same_numbers_is_taken_once(bench: Bench) -> None:
    bench.list.write_text("same\ncat\n")
    assert bench.build().code == 0
    assert Vocabulary.load(bench.out).vectors.tolist() == [[1, 3], [1, 2]]


def test_a_word_repeated_with_other_numbers_is_refused(bench: Bench) -> None:
    bench.list.write_text("other\ncat\n")
    assert f"{bench.vectors}, line 10: 'other' has different numbers here than at line 9" in bench.refused()


# The words


def test_missing_words_are_listed_with_their_lines(bench: Bench) -> None:
    bench.list.write_text("cat\nCat\n\nunicorn\n")
    problem = f"2 of its 3 words are not in {bench.vectors}: 'Cat' (line 2), 'unicorn' (line 4)"
    assert f"{bench.list}: {problem}; change the list" in bench.refused()


def test_ten_missing_words_are_listed_and_the_others_counted(bench: Bench) -> None:
    bench.list.write_text("".join(f"no{index}\n" for index in range(13)))
    error = bench.refused()
    assert "13 of its 13 words" in error
    assert "'no9' (line 10) and 3 more; change" in error
    assert "'no10'" not in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"cat\ndog\n\ncat\n", ", line 4: 'cat' is already on line 1"),
        (b"cat\n", ": a word set needs at least 2 words, one per line; this list has 1"),
        (b"", ": a word set needs at least 2 words, one per line; this list has 0"),
        (b"# cat\n# dog\n", ": a word set needs at least 2 words, one per line; this list has 0"),
        ("cat\ncafé\n".encode("latin-1"), ", line 2: this is not UTF-8 text; save the file as UTF-8"),
        ("cat\ndog\n".encode("utf-16"), ", line 1: this is not UTF-8 text; save the file as UTF-8"),
        (b"cat\nd\tog\n", r", line 2: the word 'd\tog' contains U+0009, which can't be seen"),
        ("cat\nd\u2067og\n".encode(), r", line 2: the word 'd\u2067og' contains U+2067, which can't be seen"),
        (b"cat\narea 51\n", ", line 2: the word 'area 51' ends with a number"),
        (b"cat\n" + b"x" * 1001, ", line 2: this line has more than 1,000 bytes; is this the right file?"),
        (
            b"".join(b"w%d\n" % n for n in range(100_001)),
            ": the file has more than 100,000 lines",
        ),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_at_its_line(
    bench: Bench, content: bytes, message: str
) -> None:
    bench.list.write_bytes(content)
    assert f"{bench.list}{message}" in bench.refused()


# The vectors


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": the file is empty"),
        (b"\x1f\x8b\x08\x00", ": this is a gzip file; decompress it first"),
        (b"3 2\ncat 1 2\ndog 3 4\n", ", line 1: the header promises 3 words, but the file has 2"),
        (b"cat 1 2\ndog 3 4\nelephant 1 0.", ", line 3: the last line does not end with a newline"),
        (b"cat 1 2\ndog 0 0\n", ", line 2: the vector of 'dog' is all zeros"),
        (b"cat 1 nan\ndog 1 2\n", ", line 1: the vector of 'cat' has a number that is not finite"),
        (b"cat 1 2\ndog nan 2\ndog nan 2\n", ", line 2: the vector of 'dog' has a number that is not finite"),
    ],
)
def test_vectors_that_cannot_be_used_are_refused_at_their_place(
    bench: Bench, content: bytes, message: str
) -> None:
    bench.vectors.write_bytes(content)
    assert f"{bench.vectors}{message}" in bench.refused()


def test_faults_in_words_that_are_not_listed_do_no_harm(bench: Bench) -> None:
    bench.vectors.write_bytes(b"cat 1 2\nzero 0 0\nlatin-\xe9 1 2\nwhat x y\n 1 2\ndog 3 4\n")
    assert bench.build().code == 0


def test_a_missing_file_or_a_folder_is_reported_by_name(bench: Bench) -> None:
    bench.vectors = bench.folder / "missing"
    assert f"{bench.vectors}: there is no such file" in bench.refused()
    bench.vectors = bench.folder
    assert f"{bench.vectors}: this is a folder" in bench.refused()
    bench.list = bench.folder / "missing.list"
    assert f"{bench.list}: there is no such file" in bench.refused()
    bench.list = bench.folder
    assert f"{bench.list}: this is a folder" in bench.refused()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_reported_by_name(bench: Bench) -> None:
    bench.vectors.chmod(0)
    assert f"{bench.vectors}: permission denied" in bench.refused()


# The set


def test_an_unknown_file_ending_is_refused_before_the_long_reading(bench: Bench) -> None:
    bench.vectors = bench.folder / "never opened"
    bench.out = bench.folder / "set.csv"
    assert f"{bench.out}: the name must end in .txt" in bench.refused()


def test_a_place_that_cannot_be_written_to_is_refused_before_the_long_reading(bench: Bench) -> None:
    bench.vectors = bench.folder / "never opened"
    bench.out = bench.folder / "missing" / "set.txt"
    assert f"{bench.out}: there is no folder" in bench.refused()
    bench.out = bench.folder / "folder.txt"
    bench.out.mkdir()
    assert f"{bench.out}: this is a folder" in bench.refused("--force")


def test_a_word_with_a_space_is_refused_for_binary_before_the_long_reading(bench: Bench) -> None:
    bench.vectors = bench.folder / "never opened"
    bench.out = bench.folder / "set.bin"
    bench.list.write_text("ice cream\ncat\n")
    assert f"{bench.out}: a binary file can't hold 'ice cream'" in bench.refused()


def test_a_full_disk_is_reported_and_leaves_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert f"{bench.out}: the disk is full" in bench.refused()


# Interruption


def test_an_interruption_during_the_writing_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(vectors, "write", interrupted)
    before = sorted(bench.folder.iterdir())
    assert bench.build() == (130, "", "studyapp: interrupted\n")
    assert sorted(bench.folder.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_ctrl_c_during_the_reading_ends_with_130_and_no_traceback(bench: Bench) -> None:
    bench.vectors.unlink()
    os.mkfifo(bench.vectors)
    command = [sys.executable, "-m", "studyapp.cli", *bench.arguments()]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as build:
        with bench.vectors.open("wb") as pipe:  # opens when the command has opened it to read
            pipe.write(b"cat 1 2\n")
            pipe.flush()
            build.send_signal(signal.SIGINT)
        # Only now that the pipe is closed is the command sure to wake: a signal that comes just before
        # it begins to wait for more is noticed when the waiting ends.
        printed, error = build.communicate(timeout=60)
    assert (build.returncode, printed, error) == (130, b"", b"studyapp: interrupted\n")
    assert not bench.out.exists()


def test_torch_is_not_loaded(bench: Bench) -> None:
    code = (
        "import sys; from studyapp.cli import main; assert main(sys.argv[1:]) == 0;"
        "sys.exit(len({'scipy', 'torch', 'yaml', 'textual'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code, *bench.arguments()], cwd=REPOSITORY, check=True)


# The real thing, where it is at hand: STUDYAPP_GOOGLE_NEWS names a word2vec binary file of Google News


@pytest.mark.skipif("STUDYAPP_GOOGLE_NEWS" not in os.environ, reason="STUDYAPP_GOOGLE_NEWS names no file")
def test_the_words_of_the_study_are_cut_from_google_news_in_every_form(bench: Bench) -> None:
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


# Too much


def test_a_device_in_the_place_of_vectors_is_refused_by_its_content(bench: Bench) -> None:
    bench.vectors = Path("/dev/zero")
    assert "/dev/zero, line 1: this is not a file of word vectors" in bench.refused()

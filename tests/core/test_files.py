"""Operating system errors are explained, and files are written completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.errors import FileError
from core.files import check_free, explained, ordinary, replacing


def names(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def write(path: Path, content: bytes, *, overwrite: bool = False, error: BaseException | None = None) -> None:
    with replacing(path, overwrite=overwrite) as file:
        file.write(content)
        if error is not None:
            raise error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "there is no such file"),
        (PermissionError(errno.EACCES, "Permission denied"), "permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
    ],
)
def test_an_operating_system_error_names_the_file_and_what_to_do(error: OSError, message: str) -> None:
    with pytest.raises(FileError, match=rf"^some\.txt: .*{message}"), explained("some.txt"):
        raise error


def test_a_folder_instead_of_a_file_is_reported_as_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="this is a folder"), explained(tmp_path):
        tmp_path.read_bytes()


def test_a_file_is_moved_to_its_place_when_the_block_succeeds(tmp_path: Path) -> None:
    write(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_file_is_on_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[tuple[int, bool]] = []

    def fsync(descriptor: int) -> None:
        forced.append((os.fstat(descriptor).st_size, (tmp_path / "a").exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    write(tmp_path / "a", b"new")
    assert forced == [(3, False)]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_file_is_for_its_owner_alone_from_its_first_moment(tmp_path: Path, umask: int) -> None:
    (tmp_path / "a").touch(0o666)
    before = os.umask(umask)
    try:
        with replacing(tmp_path / "a", overwrite=True) as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_the_name_of_a_file_that_is_being_written_cannot_be_guessed(tmp_path: Path) -> None:
    parts = set()
    for _ in range(10):
        with replacing(tmp_path / "a", overwrite=True) as file:
            parts.add(Path(file.name).name)
    assert len(parts) == 10
    assert all("a" not in Path(part).suffixes and len(part) > 32 for part in parts)


def test_a_file_may_have_the_longest_name_there_is(tmp_path: Path) -> None:
    write(tmp_path / ("x" * 255), b"new")
    assert (tmp_path / ("x" * 255)).read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError("wrong"), KeyboardInterrupt(), OSError(errno.ENOSPC, "full")])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: BaseException
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises((ValueError, KeyboardInterrupt, FileError)):
        write(tmp_path / "a", b"new", overwrite=True, error=error)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    stack = ExitStack()
    stack.enter_context(replacing(tmp_path / "a")).write(b"mine")
    (tmp_path / "a").write_bytes(b"theirs")
    with pytest.raises(FileError, match="already exists"):
        stack.close()
    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert names(tmp_path) == ["a"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
@pytest.mark.parametrize("leads_to", ["file", "folder", "nowhere"])
def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path, leads_to: str) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / leads_to)
    with pytest.raises(FileError, match="this file already exists"):
        write(tmp_path / "link", b"new")
    write(tmp_path / "link", b"new", overwrite=True)
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"new"
    assert (tmp_path / "file").read_bytes() == b"old"
    assert sorted(names(tmp_path)) == ["file", "folder", "link"]
    assert names(tmp_path / "folder") == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_a_pipe_or_a_device_is_never_replaced(pipe: Path) -> None:
    for path in (pipe, Path("/dev/null")):
        with pytest.raises(FileError, match="this is a pipe or a device; give the name of a file"):
            check_free(path, overwrite=True)


def test_a_path_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(FileError, match=r"a: this file already exists.*--force"):
        check_free(tmp_path / "a")
    with pytest.raises(FileError, match="this is a folder"):
        check_free(tmp_path)
    with pytest.raises(FileError, match=r"there is no folder .*missing"):
        check_free(tmp_path / "missing" / "a")
    check_free(tmp_path / "a", overwrite=True)
    check_free(tmp_path / "b")


# Only ordinary files


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.yaml")
    return tmp_path / "pipe.yaml"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_a_pipe_without_a_writer_is_refused_instead_of_waited_for(pipe: Path) -> None:
    problem = "this is a pipe or a device; an ordinary file is needed"
    with pytest.raises(FileError, match=problem), ordinary(pipe):
        pass


def test_an_ordinary_file_is_read_and_a_folder_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with ordinary(tmp_path / "file") as file:
        assert file.read() == b"content"
    for path, problem in ((tmp_path, "this is a folder"), (tmp_path / "missing", "there is no such file")):
        with pytest.raises(FileError, match=problem), ordinary(path):
            pass

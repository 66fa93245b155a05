"""Places for results are refused before the work, and files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.base.outputs import check_folder, inner_folder, make_folder, replacing_folder, write_text


def refused(folder: Path) -> FileError:
    with pytest.raises(FileError) as caught:
        check_folder(folder)
    assert "\n" not in str(caught.value)
    return caught.value


def test_checking_accepts_a_folder_that_exists_or_can_be_made_and_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("", "new", "more/of/several"):
        check_folder(tmp_path / place)
        assert not place or not (tmp_path / place).exists()
        make_folder(tmp_path / place)
        assert (tmp_path / place).is_dir()
        check_folder(tmp_path / place)
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    check_folder(Path())
    check_folder(Path("other"))
    assert refused(Path("file/new")).path == "file"


def test_a_file_in_the_way_is_named_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for place in ("file", "file/new", "file/new/of/several"):
        error = refused(tmp_path / place)
        assert error.path == str(tmp_path / "file")
        assert error.problem == "this is a file, but a folder is needed; choose another (--out)"
        with pytest.raises(FileError, match="a folder is needed"):
            make_folder(tmp_path / place)
    assert (tmp_path / "file").read_text() == "mine"
    long = tmp_path / ("x" * 300)
    assert refused(long).path == str(long)


def test_a_link_is_judged_by_what_it_points_to(tmp_path: Path) -> None:
    link, there = tmp_path / "link", tmp_path / "there"
    link.symlink_to(there)
    assert refused(link).path == refused(link / "new").path == str(link)  # it leads nowhere
    there.touch()
    assert refused(link).path == refused(link / "new").path == str(link)
    there.unlink()
    there.mkdir()
    check_folder(link)
    check_folder(link / "new")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    try:
        for mode in (0o500, 0o600, 0o000):
            closed.chmod(mode)
            assert "you may not write in this folder; choose another (--out)" in str(refused(closed))
            assert str(closed) in str(refused(closed / "new"))
    finally:
        closed.chmod(0o700)


def test_a_folder_inside_is_made_or_kept_but_never_a_link(tmp_path: Path) -> None:
    for _ in range(2):
        assert inner_folder(tmp_path / "out", "figures") == tmp_path / "out" / "figures"
    (tmp_path / "elsewhere").mkdir()
    for target in ("elsewhere", "nowhere"):
        link = tmp_path / "out" / target
        link.symlink_to(tmp_path / target)
        for refuse in (partial(inner_folder, tmp_path / "out"), partial(check_folder, tmp_path / "out")):
            with pytest.raises(FileError, match=f"{link}: this is a link, but a folder is needed"):
                refuse(target)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("error", [None, ValueError("wrong"), KeyboardInterrupt()])
def test_a_folder_is_replaced_whole_or_not_at_all_and_nothing_is_left_beside_it(
    tmp_path: Path, error: BaseException | None
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    expected = nullcontext() if error is None else pytest.raises(type(error))
    with expected, replacing_folder(tmp_path / "out") as part:
        assert stat.S_IMODE(part.stat().st_mode) & 0o077 == 0
        write_text(part / "new", "")
        if error:
            raise error
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["old" if error else "new"]


def test_a_file_is_written_in_utf_8_and_replaces_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    for text in ("first, which is longer", "é…\n"):
        write_text(path, text)
        assert path.read_bytes() == text.encode()
    write_text(path, "left out: a\udcff.yaml")  # half a character, from a file name
    assert path.read_bytes() == b"left out: a\\udcff.yaml"
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "power.csv").mkdir()
    with pytest.raises(FileError, match=r"power\.csv: this is a folder; give the name of a file"):
        write_text(tmp_path / "power.csv", "after")

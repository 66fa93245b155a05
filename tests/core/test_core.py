"""What ``import core`` provides, and what it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from study_files import small, write

import core

ROOT = Path(__file__).parents[2]


def loaded_after(code: str) -> set[str]:
    """The modules that are loaded after ``code`` in a new Python process."""
    probe = f"{code}\nimport sys; print(*sys.modules, sep=chr(10))"
    run = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_core_exports_exactly_these_names() -> None:
    assert sorted(core.__all__) == [
        "FileError",
        "FitReport",
        "Learner",
        "People",
        "SettingError",
        "Settings",
        "State",
        "StudyappError",
        "Vocabulary",
        "same_digest",
        "stream",
    ]
    assert set(core.__all__) <= set(dir(core))
    for name in core.__all__:
        assert getattr(core, name).__name__ == name


def test_an_unknown_name_in_core_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'core' has no attribute 'Lerner'"):
        core.Lerner  # noqa: B018


def test_loading_words_imports_neither_torch_nor_scipy() -> None:
    modules = loaded_after("from core import Vocabulary, stream\nVocabulary.load('study20').features()")
    assert not modules & {"torch", "scipy", "textual", "yaml"}
    assert "core.vocabulary" in modules


def test_a_whole_learner_needs_neither_torch_nor_textual_nor_yaml() -> None:
    modules = loaded_after(
        "import sys\n"
        "sys.modules.update(torch=None, textual=None, yaml=None)  # importing them would fail\n"
        "from core import Learner\n"
        "learner = Learner([[1.0, 0.0], [0.0, 1.0]])\n"
        "learner.tell(learner.begin(0), 1)"
    )
    assert "core.thompson" in modules
    assert not {module for module in modules if module.startswith("studyapp")}


def test_without_torch_everything_works_but_people_fit(tmp_path: Path) -> None:
    write(tmp_path, small())
    code = (
        "import importlib, pkgutil, sys\n"
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)\n"
        "import core, studyapp\n"
        "for package in (core, studyapp):\n"
        "    for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        if module.name not in ('core.people_fit', 'studyapp.__main__'):\n"
        "            importlib.import_module(module.name)\n"
        "from studyapp.cli import main\n"
        "folder = sys.argv[1]\n"
        "study = folder + '/study.yaml'\n"
        "sessions = folder + '/sessions'\n"
        "assert main(['rehearse', '--study', study, '--participants', '2', '--sessions', sessions]) == 0\n"
        "assert main(['verify', sessions]) == 0\n"
        "assert main(['people', 'fit', sessions, '--out', folder + '/people.yaml']) == 2\n"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    expected = "people fit needs torch, which is not installed; run: pip install 'studyapp[people]'"
    assert run.stderr.splitlines()[-1] == f"studyapp: {expected}"

"""What ``import core`` provides, and what it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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

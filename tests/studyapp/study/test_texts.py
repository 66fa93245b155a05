"""Every text can be set in a study file, with its own placeholders and the general ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from study_files import loaded, small

import studyapp.study.texts
from core.errors import FileError
from studyapp.study.placeholders import GENERAL, names_in
from studyapp.study.texts import Texts


@pytest.mark.parametrize("name", Texts.model_fields)
def test_a_text_may_use_its_own_placeholders_and_the_general_ones_and_no_others(
    tmp_path: Path, name: str
) -> None:
    own = Texts.own_placeholders(name)
    used = names_in(str(Texts.model_fields[name].default))
    assert set(own) - {"target"} <= used <= {*own, *GENERAL}
    study = loaded(
        tmp_path, small(texts={name: "{{ö}} " + " ".join(f"{{{hole}}}" for hole in [*own, *GENERAL])})
    )
    filled = study.say(getattr(study.study.texts, name), **dict.fromkeys(own, "x"))
    assert filled.split()[: 1 + len(own)] == ["{ö}", *["x"] * len(own)]
    assert "{" not in filled.removeprefix("{ö}")
    with pytest.raises(FileError, match=r"line \d+: texts\.\w+: has the placeholder \{nonsense\}"):
        loaded(tmp_path, small(texts={name: "{nonsense}"}))


def test_every_text_says_where_it_is_shown() -> None:
    assert all(field.description for field in Texts.model_fields.values())


@pytest.mark.parametrize("wrong", ["as fast as", "just where", "told", "go on"])
def test_no_default_text_has_phrases_that_confuse(wrong: str) -> None:
    assert not [text for _, text in Texts() if wrong in text]


def test_every_text_is_shown_somewhere() -> None:
    folder = Path(studyapp.study.texts.__file__).parents[1]
    sources = [*(folder / "screens").rglob("*.py"), folder / "study" / "items.py"]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert not [name for name in Texts.model_fields if not re.search(rf"texts\.{name}\b", source)]

"""Every text can be set in a study file, with its own placeholders and the general ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

import studyapp.study.texts
from studyapp.study.fields import GENERAL, names_in
from studyapp.study.loading import load
from studyapp.study.texts import Texts


def test_a_text_may_use_its_own_placeholders_and_the_general_ones_and_no_others() -> None:
    paper = load("paper")
    for name, field in Texts.model_fields.items():
        assert field.description, name  # where it is shown
        own = Texts.own_placeholders(name)
        assert set(own) - {"target"} <= names_in(str(field.default)) <= {*own, *GENERAL}, name
        text = "{{ö}} " + " ".join(f"{{{hole}}}" for hole in [*own, *GENERAL])
        filled = paper.say(getattr(Texts(**{name: text}), name), **dict.fromkeys(own, "x"))
        assert filled.split()[: 1 + len(own)] == ["{ö}", *["x"] * len(own)], name
        assert "{" not in filled.removeprefix("{ö}")
        with pytest.raises(ValidationError, match=r"has the placeholder \{nonsense\}"):
            Texts(**{name: "{nonsense}"})


def test_every_text_is_shown_somewhere() -> None:
    folder = Path(studyapp.study.texts.__file__).parents[1]
    sources = [*(folder / "screens").rglob("*.py"), folder / "study" / "items.py"]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert not [name for name in Texts.model_fields if not re.search(rf"texts\.{name}\b", source)]

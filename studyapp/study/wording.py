"""Everything that participants read in a study, as part of a study file: to edit or to translate."""

from __future__ import annotations

from typing import Any

from studyapp.base import documents
from studyapp.base.documents import OneLine
from studyapp.study.fields import GENERAL, IN_ROUND
from studyapp.study.study import Study
from studyapp.study.texts import Texts

HEAD = """\
# Everything that participants read. Paste it into a study file, in place of the settings of the same
# names, and edit it.
#
# All texts but the title may use these placeholders:
{general}
# A number can choose between two forms: {{rounds}} {{rounds:round|rounds}}.
# For a brace itself, write {{{{ or }}}}.
# Questionnaires after a round may also use {in_round}.
"""
QUESTIONNAIRES = """\
# To translate a ready-made questionnaire, keep its name, its ids and its numbers: it is then still scored.
"""
TEXTS = """\
# Every other sentence on the screens. After each: where it is shown, and placeholders of its own.
"""


def wording(study: Study) -> str:
    """The texts of a study; the same study results when they are pasted into its file."""
    parts = [_head(), _block("title", study.title)]
    if study.consent is not None:
        parts.append(_block("consent", study.consent))
    if study.instructions:
        parts.append(_block("instructions", study.instructions))
    if questionnaires := _questionnaires(study):
        parts.append(QUESTIONNAIRES + _block("questionnaires", questionnaires))
    if study.bonus:
        parts.append(_block("bonus", study.bonus.model_dump()))
    parts.append(TEXTS + _texts(study.texts))
    return "\n".join(parts)


def _head() -> str:
    general = "\n".join(f"#   {f'{{{name}}}':18} {meaning}" for name, meaning in GENERAL.items())
    in_round = ", ".join(f"{{{name}}} ({meaning})" for name, meaning in IN_ROUND.items())
    return HEAD.format(general=general, in_round=in_round)


def _block(setting: str, value: Any) -> str:
    return documents.block({setting: value}) + "\n"


def _questionnaires(study: Study) -> dict[str, list[OneLine]]:
    """The study's own and those it asks, one line per item, without settings that have their default."""
    return {
        name: [
            OneLine(item.model_dump(mode="json", exclude_defaults=True))
            for item in study.questionnaire(name).items
        ]
        for name in study.all_questionnaires()
    }


def _texts(texts: Texts) -> str:
    lines = ["texts:"]
    for name, text in texts:
        where = Texts.model_fields[name].description
        own = " ".join(f"{{{placeholder}}}" for placeholder in Texts.own_placeholders(name))
        lines.append(f"  {documents.flow({name: text})[1:-1]}  # {where}" + (f"; {own}" if own else ""))
    return "\n".join(lines) + "\n"

"""The JSON Schema of a study file, with which an editor completes, explains and checks settings."""

from __future__ import annotations

from typing import Any

from studyapp.study.study import Study

__all__ = ["schema"]


def schema() -> dict[str, Any]:
    """What a study file may contain.  Only ``studyapp check`` knows the rules between settings."""
    result = Study.model_json_schema()
    for setting in result["properties"].values():
        if "patternProperties" in setting:  # names of models and questionnaires: no others are allowed
            setting["additionalProperties"] = False
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | result

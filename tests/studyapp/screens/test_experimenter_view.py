"""The experimenter's view of a round, which only ``--pilot`` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from driving import ROUNDS_ONLY, running, study_in

from studyapp.session.events import Started


async def test_the_pilot_view_fits_beside_the_question_where_there_is_room(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, size=(60, 20), pilot=True) as person:
        await person.press("enter")
        started = person.events()[0]
        assert isinstance(started, Started)
        assert started.pilot
        assert "PILOT" in person.text()
        assert "the learner's belief needs a window of 80 columns" in person.flat_text()
        for size in ((80, 24), (100, 30), (120, 40)):
            await person.resize(*size)
            text = person.text()
            assert "needs a window" not in text
            assert "would it get a yes?" in text
            assert f"▸{person.question():>10.10}" in text or "more" in text
            assert text.count("0.50") >= 10
            belief: Any = person.app.screen.query_one("#belief")
            assert belief.region.right <= size[0]
            rows = person.app.screen.query_one("#body").size.height
            assert len(str(belief.content).split("\n")) <= rows
        await person.press("y")
        assert person.shows("confirm")


async def test_of_a_belief_over_targets_it_shows_how_likely_each_word_is_the_target(tmp_path: Path) -> None:
    models = {
        name: {"teacher": "person", "belief": "targets", "selection": name} for name in ("greedy", "thompson")
    }
    study = study_in(tmp_path, **ROUNDS_ONLY, models=models)
    async with running(study, tmp_path, size=(120, 30), pilot=True) as person:
        await person.press("enter")
        assert "is it the word to find?" in person.text()
        assert "0.05" in person.text()  # one of twenty words

"""The study: what an experimenter can set, as the study file has it.

``studyapp.study.loading`` reads and checks study files.  A log carries its study as ``Study.record``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from core.checks import MOST_ARMS
from core.errors import SettingError
from core.people import People
from core.selection import SELECTIONS
from core.settings import FITS, Settings, checked
from core.teachers import BELIEFS, TEACHERS
from studyapp.study.fields import Entry, Line, Name, Part, Prose, Text
from studyapp.study.ids import (
    DEFAULT_IDS,
    ID,
    MOST_IDS,
    MOST_PARTICIPANTS,
    PATTERN,
    check_entry,
    check_pattern,
)
from studyapp.study.items import AnyItem, Item
from studyapp.study.questionnaires import READY_MADE, Questionnaire
from studyapp.study.texts import Texts

MOST_WORDS = MOST_ARMS
MOST_TARGETS = 1000
MOST_MODELS = 20
MOST_QUESTIONNAIRES = 50
MOST_ITEMS = 100  # of a questionnaire

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


# The tags keep pydantic from reporting a fault in a list a second time, as "this is not 'all'".
Targets = Annotated[
    Annotated[Literal["all"], Tag("all")]
    | Annotated[list[Entry], Field(max_length=MOST_TARGETS), Tag("list")],
    Discriminator(lambda targets: "list" if isinstance(targets, list) else "all"),
]

Ids = Annotated[
    Annotated[
        str,
        AfterValidator(check_pattern),
        Field(json_schema_extra={"pattern": f"^{PATTERN.pattern}$"}),
        Tag("pattern"),
    ]
    | Annotated[
        list[
            Annotated[
                str, AfterValidator(check_entry), Field(json_schema_extra={"pattern": f"^{ID.pattern}$"})
            ]
        ],
        Field(min_length=1, max_length=MOST_IDS),
        Tag("list"),
    ],
    Discriminator(lambda ids: "list" if isinstance(ids, list) else "pattern"),
]


def _one_of(names: Callable[[], tuple[str, ...]], description: str) -> Any:
    """A setting that core checks; its names, those of kinds added later too, are for editors."""
    return Field(
        None,
        description=description,
        json_schema_extra=lambda schema: schema.update(enum=[*names(), None]),
    )


class LearnerSettings(Part):
    """Settings of a learner; those not given have the defaults of ``core.Learner``."""

    teacher: str | None = _one_of(lambda: TEACHERS.names, "the learner's model of the person who answers")
    belief: str | None = _one_of(
        lambda: BELIEFS, "what the learner is uncertain about: weights (the paper), or targets"
    )
    selection: str | None = _one_of(lambda: SELECTIONS.names, "how the next question is chosen")
    beta: float | None = Field(
        default=None, description="optimality of the planning teacher (0: it answers at random)"
    )
    tau: float | None = Field(default=None, description="prior standard deviation of the weights")
    horizon: int | None = Field(
        default=None, description="how many questions ahead the planning teacher plans"
    )
    gamma: float | None = Field(
        default=None, description="how much each of these questions counts, relative to the one before"
    )
    samples: int | None = Field(default=None, description="samples for the planning teacher's look-ahead")
    fit: str | None = _one_of(
        lambda: FITS, "converged: maximise the posterior; published: the published study's gradient steps"
    )

    @field_validator("*")
    @classmethod
    def _as_core_allows(cls, value: object, info: ValidationInfo) -> object:
        name = str(info.field_name)
        try:
            if value is not None:
                checked(name, value)
        except SettingError as error:
            raise ValueError(str(error)) from None
        return value


class Break(Part):
    """Breaks between rounds."""

    every: int = Field(ge=1, description="rounds between two breaks")
    seconds: int = Field(default=0, ge=0, le=3600, description="shortest duration of a break")


def _key(default: str, description: str) -> Any:
    return Field(default, description=description, json_schema_extra={"minLength": 1, "maxLength": 1})


class Answers(Part):
    """How an answer is given."""

    yes: str = _key("y", "the key for yes")
    no: str = _key("n", "the key for no")
    confirm: bool = Field(
        default=True, description="true: Enter confirms an answer; false: the key alone answers"
    )

    @field_validator("yes", "no")
    @classmethod
    def _one_character(cls, key: str) -> str:
        small = key.lower()
        if len(small) != 1 or not small.isprintable() or small.isspace():
            raise ValueError(f"is {key!r}; it must be one letter, digit or sign")
        return small

    @model_validator(mode="after")
    def _two_keys(self) -> Answers:
        if self.yes == self.no:
            raise ValueError(f"yes and no have the same key, {self.yes!r}; use two different keys")
        return self


class Pace(Part):
    """The rhythm of the questions, the same for all models."""

    pause: Annotated[Seconds, Field(le=60)] = Field(
        default=0.5, description="seconds from an answer to the next question"
    )
    hold: Annotated[Seconds, Field(le=5)] = Field(
        default=0.7,
        description="seconds within which the same key does not count again, as it may be held down",
    )


class Bonus(Part):
    """A bonus for participants who help well: the system asks about the target early, in enough rounds."""

    within: int = Field(ge=1, description="questions within which the target must be asked about")
    rounds: int = Field(ge=1, description="rounds in which that must happen, practice excluded")
    won: Line = Field(description="what a participant with the bonus reads at the end")
    lost: Line = Field(default="", description="what a participant without the bonus reads at the end")


class Resume(Part):
    """Whether an unfinished session may continue."""

    allowed: bool = Field(
        default=True, description="may a session continue after it was left or interrupted?"
    )
    within_hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="hours since the last event within which it may; without a number, at any time",
    )


class Study(Part):
    """A study file."""

    title: Text = Field(min_length=1, description="title of the study, on the first screen")
    words: Text = Field(
        default="study20",
        min_length=1,
        description="word set: a name, or a file of word vectors beside the study file",
    )
    kernel_width: float = Field(
        default=1.5,
        gt=0,
        le=1000,
        allow_inf_nan=False,
        description="w in a similarity, exp(-w |u - v|^2)",
    )
    seed: int = Field(
        default=0,
        ge=-(2**63),
        le=2**63 - 1,
        description="seed of all randomness, with the participant's ID",
    )

    sessions: Text | None = Field(
        default=None,
        min_length=1,
        description="folder of session logs, beside the study file (default: sessions; in the current folder "
        "if the study file is not called study.yaml)",
    )
    stage: Literal["pilot", "main"] = Field(
        default="main", description="pilot: sessions that begin now are marked as pilots and do not count"
    )
    collecting: bool = Field(default=True, description="may new participants begin?")
    blind: bool = Field(
        default=False, description="are analyses and exports blind until the study is unblinded?"
    )

    learner: LearnerSettings = Field(
        default=LearnerSettings(), description="learner settings that all models share"
    )
    models: dict[Name, LearnerSettings] = Field(
        min_length=2,
        max_length=MOST_MODELS,
        description="the models that are compared, each with its own settings",
    )

    people: str | dict[str, Any] | None = Field(
        default=None,
        description="how people answer, for models with teacher: person and for simulated participants: a "
        "file from studyapp people fit, beside the study file (default: as in the published study)",
    )

    targets: Targets = Field(default="all", description="the words to find: all, or a list")
    order: Literal["fixed", "random"] = Field(
        default="fixed", description="order of the targets: as listed, or random for each participant"
    )
    order_of_models: Literal["random", "balanced"] = Field(
        default="random",
        description="order of the models with a target: random for each participant and target, or balanced, "
        "so that each model comes first equally often",
    )
    questions: int = Field(default=15, ge=1, le=1000, description="questions in a round")
    practice: list[Entry] = Field(
        default=[],
        max_length=MOST_TARGETS,
        description="words to find in practice rounds, once with each model",
    )
    breaks: Break | None = Field(default=None, description="breaks between rounds")

    participants: int | None = Field(
        default=None, ge=1, le=MOST_PARTICIPANTS, description="planned number of participants"
    )
    ids: Ids = Field(
        default=DEFAULT_IDS,
        description="participant IDs: a pattern with {number} or, for two digits, {number:02}; or a list",
    )

    answers: Answers = Field(default=Answers(), description="how an answer is given")
    pace: Pace = Field(default=Pace(), description="the rhythm of the questions")
    look: Literal["dark", "light", "terminal"] = Field(
        default="dark", description="colours: dark, light, or those of the terminal"
    )

    consent: Prose | None = Field(
        default=None, description="what a participant agrees to; without it, nobody is asked"
    )
    instructions: list[Prose] = Field(
        default=[], max_length=50, description="the instructions, one text per page"
    )
    questionnaires: dict[Name, Annotated[list[AnyItem], Field(max_length=MOST_ITEMS)]] = Field(
        default={},
        max_length=MOST_QUESTIONNAIRES,
        description="questionnaires of your own, or ready-made ones in another language",
    )
    after_round: list[Entry] = Field(
        default=[],
        max_length=MOST_QUESTIONNAIRES,
        description="questionnaires after every round, practice excluded",
    )
    at_end: list[Entry] = Field(
        default=[], max_length=MOST_QUESTIONNAIRES, description="questionnaires at the end"
    )
    bonus: Bonus | None = Field(default=None, description="a bonus for participants who help well")
    resume: Resume = Field(default=Resume(), description="whether an unfinished session may continue")
    texts: Texts = Field(default=Texts(), description="every other sentence on the screens")

    @field_validator("targets", mode="before")
    @classmethod
    def _all_or_a_list(cls, targets: object) -> object:
        if targets == "all" or isinstance(targets, list):
            return targets
        raise ValueError(f"is {targets!r}; it must be 'all' or a list of words")

    @field_validator("ids", mode="before")
    @classmethod
    def _a_pattern_or_a_list(cls, ids: object) -> object:
        if ids != [] and isinstance(ids, str | list):
            return ids
        raise ValueError("must be a pattern in quotes, such as 'P{number:02}', or a list of IDs")

    @field_validator("people", mode="before")
    @classmethod
    def _a_file_or_people(cls, people: object) -> object:
        if people is None or isinstance(people, str):
            return people
        if not isinstance(people, dict):
            raise ValueError(f"is {people!r}; it must be the name of a file from studyapp people fit")
        try:
            return People.from_mapping(people).to_mapping()  # in logs; a study file may have it too
        except SettingError as error:
            raise ValueError(str(error).removeprefix("people: ")) from None

    @property
    def models_people(self) -> bool:
        """Does a model of the study expect answers as people give them?"""
        return any(TEACHERS[self.settings(name, seed=0).teacher].of_people for name in self.models)

    def settings(self, model: str, seed: int) -> Settings:
        """The learner's settings for a model: its own, then the shared ones, then the defaults."""
        given = self.learner.model_dump(exclude_none=True) | self.models[model].model_dump(exclude_none=True)
        return Settings(**given, seed=seed)

    def knows(self, questionnaire: str) -> bool:
        """Is there a questionnaire of this name, in the study or ready-made?"""
        return questionnaire in self.questionnaires or questionnaire in READY_MADE

    def questionnaire(self, name: str) -> Questionnaire:
        """The study's own; if it has the name of a ready-made one, it is that one in other words."""
        if name not in self.questionnaires:
            return READY_MADE[name]
        score = READY_MADE[name].score if name in READY_MADE else None
        return Questionnaire(name, tuple(self.questionnaires[name]), score)

    def items(self, names: list[str]) -> list[tuple[str, Item]]:
        """The items of these questionnaires, each with the questionnaire's name."""
        return [(name, item) for name in names for item in self.questionnaire(name).items]

    def all_questionnaires(self) -> dict[str, list[dict[str, Any]]]:
        """The study's own questionnaires, and the ready-made ones that it asks, in full."""
        asked = [name for name in (*self.after_round, *self.at_end) if self.knows(name)]
        return {
            name: [item.model_dump(mode="json", exclude_none=True) for item in self.questionnaire(name).items]
            for name in dict.fromkeys([*self.questionnaires, *asked])
        }

    def record(self) -> dict[str, Any]:
        """The study in full, as a log carries it: all defaults, all questionnaires.  It is a valid study."""
        resolved = {name: asdict(self.settings(name, seed=0)) for name in self.models}
        for settings in resolved.values():
            del settings["seed"]  # each round has its own
        people = {"people": People.default().to_mapping()} if self.models_people else {}
        return (
            people
            | self.model_dump(mode="json", exclude_none=True)
            | {
                "learner": {},
                "models": resolved,
                "questionnaires": self.all_questionnaires(),
            }
        )


def schema() -> dict[str, Any]:
    """The JSON Schema of a study file, with which an editor completes, explains and checks settings.

    Only ``studyapp check`` knows the rules between settings.
    """
    result = Study.model_json_schema()
    for setting in result["properties"].values():
        if "patternProperties" in setting:  # names of models and questionnaires: no others are allowed
            setting["additionalProperties"] = False
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | result

"""An entry of AICoderEval: one task about an AI library, with its canonical solution and test cases."""

from __future__ import annotations

from enum import StrEnum

from benchwright.contracts.cases import CallCase
from benchwright.records import Record


class Domain(StrEnum):
    """The seven domains of AICoderEval, and what no map knows."""

    nlp = "NLP"
    cv = "CV"
    tabular = "Tabular"
    audio = "Audio"
    multimodal = "Multimodal"
    rl = "RL"
    classification = "Classification"
    unmapped = "unmapped"


class Weights(StrEnum):
    """Kind of the model weights with which an entry was admitted."""

    none = "none"  # the entry loads no model
    stand_in = "stand-in"  # small local models with the real ids: they test the use of the API, not accuracy
    unverified = "unverified-weights"  # a model has no stand-in


class StandIn(Record, frozen=True, kw_only=True):
    """Parameters of a model's two stand-ins: id, kind, and groups of texts on which they must differ.

    An id of torch.hub is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…].
    """

    id: str
    kind: str
    inputs: list[list[str | list[str]]] = []


class BenchmarkEntry(Record, frozen=True, kw_only=True):
    """The fields of AICoderEval's entries. `cases` are judged as data; else `suite` is a pytest file.

    `signature` is "def f(x: int) -> int:"; `docstring` has the text alone, with Args, Returns and Raises;
    `implementation` is the indented body; `libraries` are distributions with versions, "torch==2.13.0".
    """

    task_id: str
    domain: Domain
    description: str  # the task in one sentence
    model: str = ""  # id of the task's model
    model_description: str = ""
    libraries: list[str] = []
    imports: list[str] = []
    signature: str
    docstring: str
    implementation: str
    cases: list[CallCase] = []
    suite: str = ""
    environment: str = "bare"  # dependency profile for execution
    weights: Weights = Weights.none
    stand_ins: list[StandIn] = []  # of the models that it loads, if its weights are stand-ins
    created: str = ""  # date of the source's revision, ISO 8601; never the date of the build
    status: str = (
        "pending"  # "rejected", "partial", "valid", "certified", "env-missing", "unverified-weights"
    )
    time_s: float | None = None  # processor seconds of the canonical solution over all cases

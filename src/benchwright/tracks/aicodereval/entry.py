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
    """What the weights behind an entry's models were when it was admitted."""

    none = "none"  # it loads no model
    stand_in = "stand-in"  # small local models under the real ids: API use is tested, not accuracy
    unverified = "unverified-weights"  # there is no stand-in for an id that it names


class StandIn(Record, frozen=True, kw_only=True):
    """What both stand-ins of a model are made from: id, kind, and groups of texts on which they must differ.

    The id of torch.hub's is OWNER/REPOSITORY[:REF]#ENTRY[,ENTRY…].
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
    description: str  # one sentence: what is asked for
    model: str = ""  # id of the model that the task is about
    model_description: str = ""
    libraries: list[str] = []
    imports: list[str] = []
    signature: str
    docstring: str
    implementation: str
    cases: list[CallCase] = []
    suite: str = ""
    environment: str = "bare"  # dependency profile that it is executed in
    weights: Weights = Weights.none
    stand_ins: list[StandIn] = []  # of the models that it loads, if its weights are stand-ins
    created: str = ""  # date of the source's revision, ISO 8601; never the date of the build
    status: str = (
        "pending"  # "rejected", "partial", "valid", "certified", "env-missing", "unverified-weights"
    )
    time_s: float | None = None  # processor seconds of the canonical solution over all cases

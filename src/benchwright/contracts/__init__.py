"""The seams, each a Protocol: what a track, a model, a judge, a source and a gate must offer.

A new one is one file that satisfies one of these and one line in `registry`, or an entry point
(`benchwright.tracks`, `.models`, `.judges`, `.sources`, `.gates`) of another package.
"""

from __future__ import annotations

from benchwright.contracts.asking import (
    Asking,
    Budgeted,
    Conversing,
    Demanding,
    Listener,
    Message,
    Model,
    Observed,
    Prompt,
)
from benchwright.contracts.gates import (
    KEEP,
    Admission,
    Decision,
    Gate,
    GateOpener,
    Remembering,
    S_contra,
    Subject,
)
from benchwright.contracts.judging import Criterion, Executor, Job, Judge, Judgement, Pending, SpecT
from benchwright.contracts.sources import C_co, Inventory, Item, Licensed, Source, SourceOpener
from benchwright.contracts.specs import (
    BatchSpec,
    CallsSpec,
    LabelSpec,
    MeraSpec,
    ProgramSpec,
    Spec,
    SuiteSpec,
    ValuesSpec,
)
from benchwright.contracts.suites import FAILURES, CaseReport, Suite, SuiteReport, SuiteRunner, Variation
from benchwright.contracts.tracks import Classifying, Ended, Extraction, Question, Track

__all__ = [
    "FAILURES",
    "KEEP",
    "Admission",
    "Asking",
    "BatchSpec",
    "Budgeted",
    "C_co",
    "CallsSpec",
    "CaseReport",
    "Classifying",
    "Conversing",
    "Criterion",
    "Decision",
    "Demanding",
    "Ended",
    "Executor",
    "Extraction",
    "Gate",
    "GateOpener",
    "Inventory",
    "Item",
    "Job",
    "Judge",
    "Judgement",
    "LabelSpec",
    "Licensed",
    "Listener",
    "MeraSpec",
    "Message",
    "Model",
    "Observed",
    "Pending",
    "ProgramSpec",
    "Prompt",
    "Question",
    "Remembering",
    "S_contra",
    "Source",
    "SourceOpener",
    "Spec",
    "SpecT",
    "Subject",
    "Suite",
    "SuiteReport",
    "SuiteRunner",
    "SuiteSpec",
    "Track",
    "ValuesSpec",
    "Variation",
]

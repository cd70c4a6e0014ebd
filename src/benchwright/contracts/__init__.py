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
from benchwright.contracts.cases import CallCase, CaseInput, CaseLevel, Expected, LevelsSpec
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
from benchwright.contracts.measures import (
    JudgedAnswer,
    JudgedAnswers,
    Measure,
    MeasureSet,
    Scale,
    TableKind,
    UnknownMeasures,
)
from benchwright.contracts.sections import (
    NO_LABEL,
    PROMPT,
    TAG,
    Baseline,
    Figures,
    Grouping,
    Sections,
    read_sections,
)
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
from benchwright.contracts.tracks import Extraction, Question, Track

__all__ = [
    "FAILURES",
    "KEEP",
    "NO_LABEL",
    "PROMPT",
    "TAG",
    "Admission",
    "Asking",
    "Baseline",
    "BatchSpec",
    "Budgeted",
    "C_co",
    "CallsSpec",
    "CallCase",
    "CaseInput",
    "CaseReport",
    "Conversing",
    "Criterion",
    "Decision",
    "Demanding",
    "Executor",
    "Expected",
    "Extraction",
    "Figures",
    "Gate",
    "GateOpener",
    "Grouping",
    "Inventory",
    "Item",
    "Job",
    "Judge",
    "JudgedAnswer",
    "JudgedAnswers",
    "Judgement",
    "LabelSpec",
    "CaseLevel",
    "LevelsSpec",
    "Licensed",
    "Listener",
    "Measure",
    "MeasureSet",
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
    "Scale",
    "Sections",
    "Source",
    "SourceOpener",
    "Spec",
    "SpecT",
    "Subject",
    "Suite",
    "SuiteReport",
    "SuiteRunner",
    "SuiteSpec",
    "TableKind",
    "Track",
    "UnknownMeasures",
    "ValuesSpec",
    "Variation",
    "read_sections",
]

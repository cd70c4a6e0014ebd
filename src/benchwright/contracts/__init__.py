"""The seams, each a Protocol: what a track, a model and a judge must offer.

A new track, model provider or judge is one file that satisfies one of these and one line in
`registry`, or an entry point (`benchwright.tracks`, `benchwright.models`, `benchwright.judges`) of another
package.
"""

from __future__ import annotations

from benchwright.contracts.asking import Asking, Demanding, Listener, Model, Observed, Prompt
from benchwright.contracts.judging import Criterion, Executor, Job, Judge, Judgement, Pending
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
    "Asking",
    "BatchSpec",
    "CallsSpec",
    "CaseReport",
    "Classifying",
    "Criterion",
    "Demanding",
    "Ended",
    "Executor",
    "Extraction",
    "Job",
    "Judge",
    "Judgement",
    "LabelSpec",
    "Listener",
    "MeraSpec",
    "Model",
    "Observed",
    "Pending",
    "ProgramSpec",
    "Prompt",
    "Question",
    "Spec",
    "Suite",
    "SuiteReport",
    "SuiteRunner",
    "SuiteSpec",
    "Track",
    "ValuesSpec",
    "Variation",
]

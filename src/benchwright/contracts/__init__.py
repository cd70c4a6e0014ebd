"""The seams, each a Protocol: what a track, a model and a judge must offer.

A new track, model provider or judge is one file that satisfies one of these and one line in
`registry`, or an entry point (`benchwright.tracks`, `benchwright.models`) of another package.
"""

from __future__ import annotations

from benchwright.contracts.asking import Asking, Demanding, Listener, Model, Observed, Prompt
from benchwright.contracts.measures import JudgedAnswer, JudgedAnswers, Measure, MeasureSet, UnknownMeasures
from benchwright.contracts.sections import Baseline, Grouping, Sections
from benchwright.contracts.specs import CallSpec
from benchwright.contracts.suites import FAILURES, CaseReport, Suite, SuiteReport, SuiteRunner, Variation
from benchwright.contracts.tracks import Extraction, Question, Track

__all__ = [
    "FAILURES",
    "Asking",
    "Baseline",
    "CallSpec",
    "CaseReport",
    "Demanding",
    "Extraction",
    "Grouping",
    "JudgedAnswer",
    "JudgedAnswers",
    "Listener",
    "Measure",
    "MeasureSet",
    "Model",
    "Observed",
    "Prompt",
    "Question",
    "Sections",
    "Suite",
    "SuiteReport",
    "SuiteRunner",
    "Track",
    "UnknownMeasures",
    "Variation",
]

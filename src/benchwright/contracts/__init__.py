"""The seams, each a Protocol: what a track, a model, a judge, a source and a gate must offer.

A new one is one file that satisfies one of these and one line in `registry`, or an entry point
(`benchwright.tracks`, `.models`, `.sources`, `.gates`) of another package.
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
from benchwright.contracts.gates import KEEP, Admission, Decision, Gate, GateOpener, Remembering, Subject
from benchwright.contracts.sources import Inventory, Item, Licensed, Source, SourceOpener
from benchwright.contracts.specs import CallSpec
from benchwright.contracts.suites import FAILURES, CaseReport, Suite, SuiteReport, SuiteRunner, Variation
from benchwright.contracts.tracks import Classifying, Ended, Extraction, Question, Track

__all__ = [
    "FAILURES",
    "KEEP",
    "Admission",
    "Asking",
    "Budgeted",
    "CallSpec",
    "CaseReport",
    "Classifying",
    "Conversing",
    "Decision",
    "Demanding",
    "Ended",
    "Extraction",
    "Gate",
    "GateOpener",
    "Inventory",
    "Item",
    "Licensed",
    "Listener",
    "Message",
    "Model",
    "Observed",
    "Prompt",
    "Question",
    "Remembering",
    "Source",
    "SourceOpener",
    "Subject",
    "Suite",
    "SuiteReport",
    "SuiteRunner",
    "Track",
    "Variation",
]

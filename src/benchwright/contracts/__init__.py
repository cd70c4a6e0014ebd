"""The seams, each a Protocol: what a track, a model and a judge must offer.

A new track, model provider or judge is one file that satisfies one of these and one line in
`registry`, or an entry point (`benchwright.tracks`, `benchwright.models`) of another package.
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
from benchwright.contracts.specs import CallSpec
from benchwright.contracts.suites import FAILURES, CaseReport, Suite, SuiteReport, SuiteRunner, Variation
from benchwright.contracts.tracks import Classifying, Ended, Extraction, Question, Track

__all__ = [
    "FAILURES",
    "Asking",
    "Budgeted",
    "CallSpec",
    "CaseReport",
    "Classifying",
    "Conversing",
    "Demanding",
    "Ended",
    "Extraction",
    "Listener",
    "Message",
    "Model",
    "Observed",
    "Prompt",
    "Question",
    "Suite",
    "SuiteReport",
    "SuiteRunner",
    "Track",
    "Variation",
]

"""Runs that ask a live model: a plan for it, what was stored, what a person was shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.records import Answer
from benchwright.running.answering import ask_questions
from benchwright.running.plan import Plan
from kit.live_model import LiveModel, register
from kit.run_stages import Listener, folder_of, plan_of


def asked(folder: Path, plan: Plan, watch: Listener | None = None) -> list[Answer]:
    """Ask, and read what was stored."""
    with folder_of(plan, folder) as run:
        ask_questions(plan, run, watch or Listener())
        return list(run.answers())


def live(monkeypatch: pytest.MonkeyPatch, folder: Path, model: LiveModel, **changed: Any) -> Plan:
    """A plan that asks this model."""
    register(monkeypatch, model)
    return plan_of(folder, **{"model": "live:model", "n": 2, **changed})


def notes(watch: Listener) -> list[str]:
    """What a person was shown."""
    return [text for kind, *rest in watch.heard if kind == "note" for text in rest]

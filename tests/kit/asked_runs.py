"""Runs that ask a live model: their plan, the stored answers, and the messages shown to the user."""

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
    """Ask, and return the stored answers."""
    with folder_of(plan, folder) as run:
        ask_questions(plan, run, watch or Listener())
        return list(run.answers())


def live(monkeypatch: pytest.MonkeyPatch, folder: Path, model: LiveModel, **changed: Any) -> Plan:
    """Return a plan that asks this model."""
    register(monkeypatch, model)
    return plan_of(folder, **{"model": "live:model", "n": 2, **changed})


def notes(watch: Listener) -> list[str]:
    """Return the messages that were shown to the user."""
    return [text for kind, *rest in watch.heard if kind == "note" for text in rest]

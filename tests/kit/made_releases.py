"""A small release, written without executing anything: one certified entry, one valid, one without its
library."""

from __future__ import annotations

from pathlib import Path

from benchwright.building.aicodereval.admission import admit_entries
from benchwright.building.aicodereval.draft_records import AdmittedEntry, ExaminedDraft
from benchwright.building.aicodereval.publish_release import publish
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.stages import FunnelLevel
from benchwright.contracts import Decision
from benchwright.records import Drop, Outcome
from kit.made_drafts import sound

LEVELS = [FunnelLevel(stage="read", unit="drafts", given=4, considered=4, kept=3, dropped={"secret": 1})]
DROPS = [Drop(unit="bad", reason="secret", cpu_s=2.0)]


def entries(cpu_s: float = 1.0) -> list[AdmittedEntry]:
    """Return one certified entry, one valid, one without its library."""
    ends = {"normal": Outcome.passed, "edge_case": Outcome.passed, "correctness": Outcome.passed}
    refused = {"mutation": Decision(reason="weak_tests", cpu_s=cpu_s)}
    one, two, three = sound()[:3]
    examined = [
        ExaminedDraft(draft=one, levels=ends, decisions={"gold": Decision(evidence={"n": 5}, cpu_s=cpu_s)}),
        ExaminedDraft(draft=two, levels=ends, decisions=refused),
        ExaminedDraft(draft=three, decisions={"imports": Decision(reason="env_missing")}),
    ]
    return [each for each in admit_entries(examined, EntryBounds()) if isinstance(each, AdmittedEntry)]


def released(folder: Path, made: list[AdmittedEntry] | None = None, name: str = "mine@1.0.0") -> Path:
    """Return a release of these entries."""
    return publish(folder, made or entries(), DROPS, name=name, levels=LEVELS, gates={"gold": 1})[0]

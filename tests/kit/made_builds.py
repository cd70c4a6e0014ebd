"""Folders of finished builds of AICoderEval, made from the records of their stages without executing
anything."""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchwright.building.aicodereval.draft_records import AdmittedEntry, Draft, ExaminedDraft
from benchwright.building.engine.stages import FunnelLevel, StageFiles
from benchwright.contracts import Decision
from benchwright.records import Drop, Outcome, Record
from kit.made_drafts import sound

PASSED = dict.fromkeys(("normal", "edge_case", "correctness"), Outcome.passed)
LEVEL = FunnelLevel(stage="read", unit="drafts", given=3, considered=3, kept=3)


def examined(draft: Draft, **more: object) -> ExaminedDraft:
    return ExaminedDraft(draft=draft, **{"levels": PASSED, **more})


def written(folder: Path, **stages: list[Record]) -> Path:
    """Write a build's folder with these records in its stages."""
    (folder / "stages").mkdir(parents=True)
    for number, (name, records) in enumerate(stages.items(), 1):
        StageFiles.of(folder / "stages", number, name).write(records)
    (folder / "build.json").write_text("{}")
    (folder / "funnel.json").write_bytes(msgspec.json.encode({"stages": [LEVEL]}))
    return folder


def finished_build(folder: Path) -> Path:
    """Write three drafts: one certified, one partial, one left out; another was refused for its form."""
    one, two, three, *_ = sound()
    killed = Decision(evidence={"score": 0.9, "killed": 9}, cpu_s=0.5)
    weak = Decision(reason="weak_tests", evidence={"score": 0.4}, cpu_s=0.25)
    levels = {**PASSED, "edge_case": Outcome.wrong}
    refused = Drop(
        unit="x",
        reason="secret",
        evidence={"reasons": {"aicodereval.secrets": "secret", "mutation": "weak_tests"}},
    )
    entries = [
        AdmittedEntry(
            entry=msgspec.structs.replace(each.entry, status=status),
            revision=each.revision,
            source=[each.unit],
        )
        for each, status in ((one, "certified"), (two, "partial"))
    ]
    return written(
        folder,
        check=[refused],
        **{
            "try": [
                examined(one, decisions={"mutation": killed}),
                examined(two, decisions={"mutation": weak}, levels=levels),
                examined(three, levels={}),
            ]
        },
        select=entries,
    )

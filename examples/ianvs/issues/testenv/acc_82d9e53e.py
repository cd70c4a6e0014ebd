"""Smart coding: issues: the figures of Benchwright's track, each under its own name."""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import metric

ROWS = Path(os.path.abspath(__file__)).parents[1] / "dataset" / "rows.jsonl"

NAMES = (
    "acc",
    "acc_strongest",
    "partly",
    "evidence",
    "later_facts",
    "overlap",
)

for name in NAMES:
    ClassFactory.register(ClassType.GENERAL, alias=name)(metric("smartcoding-issues", name, ROWS))

"""Smart coding: comments: the figures of Benchwright's track, each under its own name."""

import os
from pathlib import Path

from sedna.common.class_factory import ClassFactory, ClassType

from benchwright.interop.ianvs.adapter import metric

ROWS = Path(os.path.abspath(__file__)).parents[1] / "dataset" / "rows.jsonl"

NAMES = (
    "total",
    "format",
    "accuracy",
    "logic",
    "code_unchanged",
    "annotation_precision",
    "annotation_recall",
    "annotation_f1",
    "entity_truth",
    "key_lines",
    "echo",
    "chrf",
)

for name in NAMES:
    ClassFactory.register(ClassType.GENERAL, alias=name)(metric("smartcoding-comments", name, ROWS))

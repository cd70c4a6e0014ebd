"""JavaTestGen and UnitTests against what MERA's own code gave, for 200 replies of our generator to each.

`golden/mera_tests.json` was recorded by hand in an environment of its own: the digest of each extraction, in Java
also of the completed test file, CodeBLEU of each text, and the digests of what MERA's packer makes of our logs.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from benchwright.interop.mera.run_results import from_file
from benchwright.interop.mera.submission import export
from benchwright.interop.mera.submission_check import check, score_unit_tests
from benchwright.interop.mera.task_sets import load_gold
from benchwright.lang.codebleu.code_bleu import code_bleu
from benchwright.progress import Silent
from benchwright.tracks.javatestgen.test_file import completed, take_block
from benchwright.tracks.unittests.extraction import take_code
from kit.mera_replies import SAMPLES, rows
from kit.mera_test_replies import java_replies, java_source, unit_replies, written_answer_rows
from kit.needs import need_module
from kit.small_data import write


@cache
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "mera_tests.json").read_text())
    return found


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def test_java_extraction_and_completion_are_mera_s() -> None:
    """Byte by byte; an empty answer is not completed."""
    made, found = rows("javatestgen"), []
    for number, (at, text) in enumerate(java_replies()):
        block = take_block(text)
        file = completed(block, java_source(made[at], number)) if block else ""
        found.append([_digest(block), _digest(file) if block else ""])

    assert found == golden()["javatestgen"]


def test_unit_test_extraction_is_mera_s() -> None:
    """Byte by byte, in five languages."""
    made = rows("unittests")
    found = [_digest(take_code(text, made[at]["inputs"]["language"])) for at, text in unit_replies()]

    assert found == [digest for digest, _ in golden()["unittests"]]


def test_code_bleu_is_the_library_s() -> None:
    """To 1e-9 for each reply, in five languages; the mean of MERA's harness counts 0 for C#."""
    for name in ("python", "java", "go", "javascript", "c_sharp"):
        need_module(f"tree_sitter_{name}")
    made, found = rows("unittests"), []
    for at, text in unit_replies():
        language = made[at]["inputs"]["language"]
        found.append(code_bleu(take_code(text, language), made[at]["outputs"], language).mean)
    given = {row["meta"]["id"]: text for row, (_, text) in zip(made, unit_replies(), strict=False)}
    gold = load_gold(SAMPLES / "unittests.jsonl", task_set="UnitTests")
    assert gold.expected is not None
    served = score_unit_tests(gold.expected, given).metrics["code_bleu"]
    counted = [
        0.0 if row["inputs"]["language"] == "csharp" else value
        for row, value in zip(made, found, strict=False)
    ]

    assert found == pytest.approx([value for _, value in golden()["unittests"]], abs=1e-9)
    assert served == pytest.approx(sum(counted) / len(made), abs=1e-9)


@pytest.mark.parametrize(("track", "name"), [("javatestgen", "JavaTestGen"), ("unittests", "UnitTests")])
def test_the_submission_of_tests_is_the_packer_s(track: str, name: str, tmp_path: Path) -> None:
    """Byte by byte; the check of it finds no error."""
    need_module("tree_sitter_c_sharp")
    answers = write(tmp_path / "answers.jsonl", written_answer_rows(track))
    source = from_file(answers, data=str(SAMPLES / f"{track}.jsonl"), task_name=name, missing="refuse")
    exported = export(
        [source], out=tmp_path / "s.zip", none="null", logs=True, samples=None, workers=1, watch=Silent()
    )
    gold = load_gold(SAMPLES / f"{track}.jsonl", task_set=name)

    assert sha256(exported.parts[0].entry.data).hexdigest() == golden()["packed"][name]
    assert check(exported.path, {name: gold}).errors == 0

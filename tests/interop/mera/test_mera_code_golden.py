"""The profiles `mera-exact` against numbers that MERA's own code gave, for 200 replies of our generator.

`golden/mera_code.json` was recorded by hand with MERA_CODE at the named commit, flake8 and sacreBLEU at the
named versions, in an environment of their own: the digest of each extraction, whether the linter passed it,
pass@k of ten replies each, chrF of each text and of all, and the digests of what its packer makes of our logs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Extraction, JudgedAnswer
from benchwright.interop.mera.run_results import from_file
from benchwright.interop.mera.submission import export
from benchwright.interop.mera.submission_check import check, score_chrf
from benchwright.interop.mera.task_sets import find_kind, load_gold
from benchwright.judges.documentation import DocumentationJudge
from benchwright.judges.lint.linter import lint
from benchwright.progress import Silent
from benchwright.records import Metric, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.text.chrf import chrf
from benchwright.text.fences import process_mera_code
from benchwright.text.remarks import REMARKS, likeness, remarks_by_mera, says_correct
from benchwright.tracks.functions.completion import PassAtK
from benchwright.tracks.rucodereviewer.measures import ReviewMeasures, remark_score
from benchwright.tracks.strucom.track import TRACK as STRUCOM
from kit.mera_replies import (
    SAMPLES,
    answer_rows,
    code_replies,
    judge_reply,
    review_replies,
    rows,
    text_replies,
)
from kit.needs import need_sandbox
from kit.profile_needs import need_profile
from kit.small_data import write


@cache
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "mera_code.json").read_text())
    return found


def test_extraction_is_mera_s_byte_by_byte() -> None:
    """The text that is given to the linter."""
    found = [sha256(process_mera_code(text).encode()).hexdigest()[:16] for text in code_replies()]

    assert found == [digest for digest, _ in golden()["codelintereval"]]


def test_the_linter_decides_as_mera_s() -> None:
    """For each reply, in the sandbox and in one process, as for MERA on the command line; pass@k to 1e-9."""
    need_sandbox()
    need_profile("flake8")
    with Sandbox() as box:
        clean = [lint(box, process_mera_code(text), noqa=True).is_clean for text in code_replies()]

    assert clean == [bool(passed) for _, passed in golden()["codelintereval"]]
    for number, expected in enumerate(golden()["pass_at_k"]):
        ends = clean[10 * number : 10 * number + 10]
        given = {1: [JudgedAnswer(Outcome.passed if end else Outcome.wrong) for end in ends]}
        found = PassAtK().metrics({}, given, (1, 5, 10))
        assert {k: found[k].value for k in expected} == pytest.approx(expected, abs=1e-9)


def test_chrf_is_sacrebleu_s() -> None:
    """Of each text alone and of all together, from the counts that the judge stores."""
    made = rows("strucom")
    pairs = [(text, made[at]["outputs"]) for at, text in text_replies()]
    single = [100 * chrf([pair], words=0, limit=None) for pair in pairs]
    served = score_chrf(
        {at: [reference] for at, (_, reference) in enumerate(pairs)}, dict(enumerate(t for t, _ in pairs))
    )

    assert single == pytest.approx(golden()["chrf"], abs=1e-9)
    assert served.metrics["chrf"] == pytest.approx(golden()["chrf_corpus"], abs=1e-9)
    assert _by_judge(pairs) == pytest.approx(golden()["chrf_corpus"], abs=1e-9)


def _by_judge(pairs: list[tuple[str, str]]) -> float:
    judge, (task,) = DocumentationJudge(None), list(STRUCOM.load(SAMPLES / "strucom.jsonl"))[:1]  # type: ignore[arg-type]
    tasks: dict[Any, Task] = {}
    answers = {}
    for at, (text, reference) in enumerate(pairs):
        spec = STRUCOM.spec(task, profile="mera-exact").__class__(reference=reference, by_rules=False)
        scores = judge.judge(Extraction(program="", rule="", text=text), spec).scores
        tasks[at], answers[at] = task, [JudgedAnswer(Outcome.scored, scores=scores)]
    return 100 * STRUCOM.measures.metrics(tasks, answers, ())["chrf"].value


def test_reviews_are_scored_as_mera_s() -> None:
    """Remarks byte by byte; BLEU, chrF and pass@k of a stub judge for each reply, and their means, to 1e-9."""
    made, recorded = rows("rucodereviewer"), golden()["rucodereviewer"]
    answers: dict[Any, list[JudgedAnswer]] = {}
    for place, ((at, text), (digest, *figures)) in enumerate(zip(review_replies(), recorded, strict=True)):
        remarks = remarks_by_mera(text)
        found = likeness(remarks, made[at]["outputs"])
        said = {remark_score(n): float(says_correct(judge_reply(each))) for n, each in enumerate(remarks, 1)}
        scores = {REMARKS: float(len(remarks)), **found, **said}
        answers[place] = [JudgedAnswer(Outcome.scored, scores=scores, parts={"judge stub": Outcome.scored})]
        alone = ReviewMeasures().metrics({}, {place: answers[place]}, ())

        assert sha256("\0".join(remarks).encode()).hexdigest()[:16] == digest, text
        assert _reviewed(alone) == pytest.approx(figures, abs=1e-9), text

    means = [sum(column) / len(recorded) for column in zip(*(row[1:] for row in recorded), strict=True)]
    assert _reviewed(ReviewMeasures().metrics({}, answers, ())) == pytest.approx(means, abs=1e-9)


def _reviewed(metrics: Mapping[str, Metric]) -> list[float]:
    shares = [metrics[name].value for name in ("bleu", "chrf", "judge@1", "judge@5", "judge@10")]
    return [100 * shares[0], 100 * shares[1], *shares[2:]]


@pytest.mark.parametrize(
    ("track", "name"),
    [("codelintereval", "CodeLinterEval"), ("strucom", "stRuCom"), ("rucodereviewer", "ruCodeReviewer")],
)
def test_the_submission_is_the_packer_s(track: str, name: str, tmp_path: Path) -> None:
    """Byte by byte; the check of it finds no error."""
    answers = write(tmp_path / "answers.jsonl", answer_rows(track))
    source = from_file(answers, data=str(SAMPLES / f"{track}.jsonl"), task_name=name, missing="refuse")
    exported = export(
        [source], out=tmp_path / "s.zip", none="null", logs=True, samples=None, workers=1, watch=Silent()
    )
    gold = load_gold(SAMPLES / f"{track}.jsonl", task_set=name)

    assert sha256(exported.parts[0].entry.data).hexdigest() == golden()["packed"][name]
    assert check(exported.path, {name: gold}).errors == 0
    assert find_kind(name).track == track

"""The measurement of link precision: its labels are complete, and its figures follow from them."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import pytest

from benchmarks.link_precision import LABELS, PASSES, SAMPLES, main, pair_of
from benchwright.judges.people.records import LINK_LABELS
from kit.made_alignment import link

HEAD = "repo,remark,target,first,second,sample\n"


def test_each_pair_is_labelled_twice_and_named_once() -> None:
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = [(row["repo"], row["remark"], row["target"]) for row in rows]

    assert len(set(pairs)) == len(pairs) >= 200
    assert len({row["repo"] for row in rows}) >= 4
    assert {row[each] for row in rows for each in PASSES} <= set(LINK_LABELS)
    assert all(len(row["target"]) == 40 for row in rows)
    assert {row["sample"] for row in rows} == set(SAMPLES)
    held_out = [row for row in rows if row["sample"] == "held_out"]
    assert len(held_out) >= 200 and len({row["repo"] for row in held_out}) >= 4


def test_the_figures_follow_from_the_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    links = [link(number, rung=3) for number in range(4)]
    kept = msgspec.structs.replace(link(4), state="unchanged", rung=0)
    (tmp_path / "links.jsonl").write_bytes(
        b"".join(msgspec.json.encode(each) + b"\n" for each in [*links, kept])
    )
    labels = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("", "")]
    rows = [
        ",".join(
            [each.repo, str(number), each.target.partition(":")[2], *labels[number], SAMPLES[number == 2]]
        )
        for number, each in enumerate(links)
        if labels[number][0]
    ]
    rows.append(f"{kept.repo},4,{kept.target.partition(':')[2]},no,no,held_out")
    (tmp_path / "labels.csv").write_text(HEAD + "\n".join(rows) + "\n", "utf-8")
    main(["measure", str(tmp_path / "links.jsonl"), "--labels", str(tmp_path / "labels.csv")])
    said = capsys.readouterr().out

    assert "tuning, both passes: rung 3 line_tracking: 1.000 (0.207 to 1.000), 1 of 1, 1 undecided" in said
    assert "held_out, both passes: rung 3 line_tracking: 0.000 (0.000 to 0.793), 0 of 1, 0 undecided" in said
    assert "held_out, both passes: rung 0: 1.000 (0.207 to 1.000), 1 of 1, 0 undecided" in said
    main(["missing", str(tmp_path / "links.jsonl"), "--labels", str(tmp_path / "labels.csv")])
    assert pair_of(links[3].repo, links[3].source, links[3].target) in capsys.readouterr().out

"""What a probe finds on this machine, and which nodes it keeps from a run."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import pytest

from benchwright.cluster import probe as probing
from benchwright.cluster.node_table import READY, probed_nodes
from benchwright.cluster.probe import NodeFacts, canary_complaint, needs_here, probe, refusal, unable
from benchwright.cluster.session import NodeAddress
from benchwright.contracts import Job, Judgement
from benchwright.records import Isolation, Outcome
from kit.mounted import mounted
from kit.needs import need_sandbox


@pytest.fixture(scope="module")
def facts() -> NodeFacts:
    need_sandbox()
    return probe()


def test_this_machine_fits_its_own_runs(facts: NodeFacts) -> None:
    assert facts.isolation is Isolation.separated
    assert facts.canary == ""
    assert "no network" in facts.layers
    assert not any(facts.layers.values())
    assert facts.toolchains.keys().isdisjoint(facts.missing)
    assert refusal(facts, needs_here(facts.toolchains, facts.profiles)) is None
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=NodeFacts) == facts


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "0.0.1"}, "Benchwright 0.0.1, the run has "),
        ({"judging": 99}, "judging rules 99, the run has "),
        ({"code": "0" * 16}, "other code"),
        ({"python": "3.99.0"}, "Python 3.99.0, the run has "),
        ({"layers": {"no network": "a program connected"}}, "no network (a program connected)"),
        ({"canary": "expected wrong"}, "self-check failed: expected wrong"),
        ({"isolation": Isolation.none}, "isolation none, the run has separated"),
        ({"disk_mb": 3}, "disk full: 3 MB free"),
    ],
)
def test_a_node_that_differs_is_refused_with_the_reason(
    facts: NodeFacts, change: dict[str, Any], reason: str
) -> None:
    why = refusal(msgspec.structs.replace(facts, **change), needs_here())
    assert why is not None
    assert reason in why
    assert ";" not in why  # one reason for one difference


def test_a_clock_that_is_two_hours_off_is_reported_and_no_reason(facts: NodeFacts) -> None:
    """The node is ready, and its row has the difference."""
    late = msgspec.structs.replace(facts, utc_s=time.time() + 7200)
    reply: Future[bytes] = Future()
    reply.set_result(msgspec.msgpack.encode(late))
    call = SimpleNamespace(remote=lambda: SimpleNamespace(future=lambda: reply))
    address = NodeAddress(node_id="n" * 8, host="late", cores=1, alive=True)
    session: Any = SimpleNamespace(nodes=lambda: [address], place=lambda *_: SimpleNamespace(probe=call))
    (row,) = probed_nodes(session)

    assert (row.state, row.reason) == (READY, "")
    assert row.clock_s == pytest.approx(7200, abs=600)


def test_a_node_without_go_is_kept_from_go_alone(facts: NodeFacts) -> None:
    node = msgspec.structs.replace(
        facts, toolchains={"Python": {"python": "3.11.1"}}, missing={"Go": "Go is not installed"}
    )
    needs = msgspec.structs.replace(needs_here(), toolchains={"Go": {"go": "1.27"}, "Java": {}})
    assert unable(node, needs) == {
        "Go": "no Go toolchain: Go is not installed",
        "Java": "no Java toolchain",
    }
    assert "no Go toolchain" in (refusal(node, needs) or "")
    assert refusal(node, needs_here()) is None


def test_a_toolchain_of_another_version_is_another_toolchain(facts: NodeFacts) -> None:
    node = msgspec.structs.replace(facts, toolchains={"Go": {"go": "1.22"}})
    wanted = {"Go": {"go": "1.27"}}
    assert unable(node, msgspec.structs.replace(needs_here(), toolchains=wanted)) == {
        "Go": "Go toolchain go 1.22, the run has go 1.27"
    }
    lacking = msgspec.structs.replace(needs_here(), toolchains={"Go": {}})  # a driver without Go takes any
    assert unable(node, lacking) == {}


class _Lying(NamedTuple):
    """An executor that returns the same outcome for each job, up to a number of them."""

    outcome: Outcome
    most: int = 100

    def judge(self, jobs: list[Job]) -> Iterator[tuple[int, Judgement]]:
        return ((job.number, Judgement(outcome=self.outcome)) for job in jobs[: self.most])


@pytest.mark.parametrize("liar", [_Lying(Outcome.passed), _Lying(Outcome.wrong), _Lying(Outcome.passed, 1)])
def test_a_sandbox_that_accepts_or_fails_everything_fails_the_canaries(
    liar: _Lying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "open_executor", lambda setup: contextlib.nullcontext(liar))
    assert canary_complaint("native")


def test_a_machine_without_the_jail_is_described_and_not_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe("bubblewrap")
    assert (found.jail, found.isolation) == ("", Isolation.none)
    assert found.layers == {"jail": "bubblewrap is not installed"}
    assert "jail (bubblewrap is not installed)" in (refusal(found, needs_here()) or "")


def test_free_space_is_that_of_the_fuller_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not" / "yet"))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(
        shutil, "disk_usage", lambda path: usage._replace(free=(7 if path == tmp_path else 9) << 20)
    )
    assert probing.free_disk_mb() == 7


FULL = """
import os, sys
os.environ["XDG_CACHE_HOME"] = sys.argv[1]
from benchwright.cluster.probe import free_disk_mb
print(free_disk_mb())
with open(sys.argv[1] + "/filler", "wb", buffering=0) as filler:
    try:
        while filler.write(bytes(1 << 20)): pass
    except OSError: pass
print(free_disk_mb())
"""


def test_a_full_disk_has_no_free_space(tmp_path: Path) -> None:
    """Of memory, and really full. The node is then refused, as above."""
    said = mounted(f"mount -t tmpfs -o size=3m none {tmp_path}", FULL, tmp_path)

    before, after = map(int, said.split())
    assert (before, after) == (3, 0)


def test_changed_code_changes_the_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(probing, "_PACKAGE", tmp_path)
    module = tmp_path / "judges" / "python.py"
    module.parent.mkdir()
    digests = []
    for text in ("x = 1", "x = 2"):
        module.write_text(text)
        digests.append(probing.code_digest.__wrapped__())
    assert digests[0] != digests[1]
    (module.parent / "python.pyc").write_bytes(b"")
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "run.py").write_text("decides no verdict")
    assert probing.code_digest.__wrapped__() == digests[1]

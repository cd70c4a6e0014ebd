"""A model server that moves costs nothing: the run to resume it, also one of an earlier version."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import Script, StubServer
from kit.command_line import Said, benchwright, called
from kit.small_data import gold_of, humaneval, name_of, read_rows

EARLIER = Path(__file__).parents[1] / "earlier_runs"
STOPPED, FINISHED = "ruhumaneval-openai-stub-a8b3c5f8", "ruhumaneval-openai-stub-fa7b6189"
TASKS, N = 3, 2
SCRIPT = Script.of({f"def {name_of(number)}(": f"    return {gold_of(number)}\n" for number in range(TASKS)})
REFUSED = [f"context-length:contains=def {name_of(2)}("]

pytestmark = pytest.mark.usefixtures("jail")


def run(place: Path, server: StubServer, *more: object, track: str = "ruhumaneval") -> Said:
    """The same command, but for the address."""
    line = ["run", track, "--data", "tasks.jsonl", "--model", "openai:stub", "--base-url", server.base_url]
    return called(*line, "--n", N, "--workers", 1, *more, cwd=place, OPENAI_API_KEY="")


def asked(server: StubServer) -> Counter[int]:
    """How often each seed was asked for. No two questions share one."""
    return Counter({entry["seed"]: entry["requests"] for entry in server.stats()["keys"]})


def earlier(place: Path, *names: str) -> list[Path]:
    """Folders of an earlier version under runs/, where its default put them, and their data set."""
    shutil.copy(EARLIER / "tasks.jsonl", place)
    return [Path(shutil.copytree(EARLIER / name, place / "runs" / name)) for name in names]


def manifest(folder: Path) -> Any:
    """What run.json says."""
    return json.loads((folder / "run.json").read_text())


def events(folder: Path, kind: str) -> list[Any]:
    """The details of the events of a kind."""
    return [row["detail"] for row in read_rows(folder / "events.jsonl") if row["kind"] == kind]


def folders(place: Path) -> list[str]:
    """The run folders that are there."""
    return sorted(path.name for path in (place / "runs").iterdir())


def test_a_server_on_another_port_goes_on(tmp_path: Path) -> None:
    """By the default folder: no question is asked twice, and the seeds are those of the first address."""
    humaneval(tmp_path, TASKS)
    with StubServer(SCRIPT, faults=REFUSED) as here:
        first = run(tmp_path, here, "--json", track="humaneval")
        before = asked(here)
    stored = {row["seed"]: row for row in read_rows(next(tmp_path.glob("runs/*/answers.jsonl")))}
    answered = {seed for seed, row in stored.items() if "error" not in row}
    with StubServer(SCRIPT) as there:
        moved = there.base_url != here_url(tmp_path)
        second = run(tmp_path, there, "--json", track="humaneval")
        after = asked(there)
        third = run(tmp_path, there, "--json", track="humaneval")

        assert asked(there) == after
    folder = tmp_path / "runs" / folders(tmp_path)[0]

    assert (first.document["missing"], second.document["missing"]) == (N, 0)
    assert (moved, len(folders(tmp_path)), set(after.values())) == (True, 1, {1})
    assert (set(after), set(after) & answered) == (set(before) - answered, set())
    assert second.document["metrics"]["pass@1"]["value"] == third.document["metrics"]["pass@1"]["value"] == 1
    assert [each["now"] for each in events(folder, "moved")] == [manifest(folder)["base_url"]]


def here_url(place: Path) -> str:
    """Where the answers of the one run are from."""
    return str(manifest(place / "runs" / folders(place)[0])["base_url"])


def test_an_earlier_run_is_found_and_goes_on_with_its_keys(tmp_path: Path) -> None:
    """Stopped after two answers of six: four are asked, at another address, by the seeds of the first."""
    (folder,) = earlier(tmp_path, STOPPED)
    before = read_rows(folder / "answers.jsonl")
    with StubServer(SCRIPT) as server:
        said = run(tmp_path, server)
        counts = asked(server)
    after = read_rows(folder / "answers.jsonl")

    assert (said.code, folders(tmp_path)) == (0, [STOPPED])
    assert "resuming" in said.err and STOPPED in said.err
    assert (len(before), after[:2], len(after)) == (2, before, TASKS * N)
    assert counts == Counter({row["seed"]: 1 for row in after[2:]})
    assert manifest(folder)["identity"]["model"]["base_url"] == "http://127.0.0.1:8142/v1"


def test_the_keys_of_an_earlier_run_are_those_it_would_have_made(tmp_path: Path) -> None:
    """Made anew after its answers were lost, they are byte for byte what the earlier version wrote."""
    (folder,) = earlier(tmp_path, FINISHED)
    expected = [(row["key"], row["seed"]) for row in read_rows(folder / "answers.jsonl")]
    (folder / "answers.jsonl").unlink()
    with StubServer(SCRIPT) as server:
        said = run(tmp_path, server)

    assert said.code == 0
    assert [(row["key"], row["seed"]) for row in read_rows(folder / "answers.jsonl")] == expected


def test_a_finished_run_of_earlier_rules_is_judged_anew(tmp_path: Path) -> None:
    """Nothing is asked; every verdict is made by the rules of now, those of other profiles are dropped."""
    (folder,) = earlier(tmp_path, FINISHED)
    paid = (folder / "answers.jsonl").read_bytes()
    old = {row["key"] for row in read_rows(folder / "verdicts.jsonl")}
    checked = {row["key"] for row in read_rows(folder / "self_check.jsonl")}
    with StubServer(SCRIPT) as server:
        said = run(tmp_path, server)
        requests = server.stats()["requests"]
        again = run(tmp_path, server)
    new = {row["key"] for row in read_rows(folder / "verdicts.jsonl")}
    was = manifest(folder)["judged_anew"]["was"]

    assert (said.code, requests, (folder / "answers.jsonl").read_bytes() == paid) == (0, 0, True)
    assert (len(new), new & old) == (TASKS * N, set())
    assert not checked & {row["key"] for row in read_rows(folder / "self_check.jsonl")}
    assert not (folder / "verdicts.mera-code.jsonl").exists()
    assert (was["judging"], len(events(folder, "judged_anew"))) == (1, 1)
    assert manifest(folder)["identity"]["judging"] > 1
    assert ("re-judged" in said.err, "re-judged" in again.err) == (True, False)


def test_a_finished_run_of_earlier_rules_is_read_as_it_is(tmp_path: Path) -> None:
    """Looking at it changes no byte, and it is not compared with one of other rules."""
    old, new = earlier(tmp_path, FINISHED, STOPPED)
    with StubServer(SCRIPT) as server:
        made = run(tmp_path, server, "--out", new)
    before = {path.name: path.read_bytes() for path in old.iterdir()}
    looks = [benchwright(*line, cwd=tmp_path) for line in (("show", old), ("show", old, 1))]
    refused = benchwright("compare", old, new, cwd=tmp_path)

    assert (made.code, [said.code for said in looks]) == (0, [0, 0])
    assert {path.name: path.read_bytes() for path in old.iterdir()} == before
    assert (refused.code != 0, "`judging` differs" in refused.err) == (True, True)


def test_of_several_earlier_runs_that_of_the_same_address_is_taken(tmp_path: Path) -> None:
    """Earlier versions made a folder for each address; the one that was asked from here goes on."""
    names = earlier(tmp_path, FINISHED, STOPPED)
    with StubServer(SCRIPT) as server:
        for folder in names:
            told = manifest(folder)
            told["identity"]["model"]["base_url"] = (
                server.base_url if folder.name == STOPPED else "http://h/v1"
            )
            (folder / "run.json").write_text(json.dumps(told))
        said = run(tmp_path, server, "--ask-only")

    assert said.out.strip() == f"runs/{STOPPED}"


def test_two_models_under_one_name_are_told_apart(tmp_path: Path) -> None:
    """By --model-id, which makes another run; without it an earlier run would be taken for this one."""
    earlier(tmp_path, FINISHED)
    with StubServer(SCRIPT) as server:
        said = run(tmp_path, server, "--model-id", "the tuned one", "--ask-only")
        requests = server.stats()["requests"]

    assert (said.code, requests, len(folders(tmp_path))) == (0, TASKS * N, 2)

"""A run folder is whole: it can be read anywhere, without its data set; and where it cannot, a line says so."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from kit.command_line import Said, benchwright, called
from kit.needs import need_module
from kit.small_data import answer_row, mera_row, read_rows, write

EARLIER = Path(__file__).parents[1] / "earlier_runs"
FINISHED = "ruhumaneval-openai-stub-fa7b6189"
TASKS, N = 3, 10
NUMBER = "42174217421742"  # too long to stand in a time or a key by chance
SECRETS = ("Допиши", "def times_1", "Верни", "{'x': 1}", NUMBER)

pytestmark = pytest.mark.usefixtures("jail")


def rows() -> list[dict[str, object]]:
    """Three tasks; one of the expected values is a number that stands nowhere else."""
    made = [mera_row(number) for number in range(TASKS)]
    made[1]["inputs"]["tests"] = f"[{{'x': 1}}, {{'x': {NUMBER}}}]"
    made[1]["outputs"] = ["1", NUMBER]
    return made


def ran(place: Path, *more: object, name: str = "mine", passed: int = 8) -> Path:
    """A finished run, made in a folder of its own with relative names."""
    place.mkdir(exist_ok=True)
    write(place / "tasks.jsonl", rows())
    outcomes = ["passed"] * passed + ["wrong"] * (N - passed)
    given = [answer_row(number, number, outcome) for number in range(TASKS) for outcome in outcomes]
    write(
        place / f"{name}.jsonl",
        [{**row, "completion": f"{row['completion']}# {at}\n"} for at, row in enumerate(given)],
    )
    line = ["run", "ruhumaneval", "--data", "tasks.jsonl", "--model", f"replay:{name}.jsonl", "--quiet"]
    said = called(*line, "--out", f"runs/{name}", "--workers", 1, *more, cwd=place)
    assert (said.code, said.err) == (0, "")
    return place / "runs" / name


def moved(folder: Path, to: Path) -> Path:
    """The folder alone on another machine: nothing of where it was made is left."""
    to.mkdir()
    shutil.copytree(folder, to / folder.name)
    shutil.rmtree(folder.parents[1])
    return to / folder.name


def report(folder: Path, place: Path, *more: object) -> tuple[bytes, Said]:
    """The page of a run, written from some folder."""
    need_module("jinja2")
    said = called("report", folder, "--out", place / "page.html", *more, cwd=place)
    assert said.code == 0, said.err
    return (place / "page.html").read_bytes(), said


def held(folder: Path) -> bytes:
    """All that a folder holds, unpacked."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return b"".join(gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes() for path in files)


def test_a_moved_folder_gives_the_same_page(tmp_path: Path) -> None:
    """Byte for byte, from another directory, after the data set is gone."""
    folder = ran(tmp_path / "here")
    before, _ = report(folder, tmp_path / "here")
    there = moved(folder, tmp_path / "there")
    (tmp_path / "desk").mkdir()
    after, said = report(there, tmp_path / "desk")

    assert (after == before, len(after), "note:" in said.err) == (True, len(before), False)


def test_every_command_reads_a_moved_folder(tmp_path: Path) -> None:
    """Programs, comparisons and exports; nothing is said of anything missing."""
    folder = ran(tmp_path / "here", "--profile", "strict", "--profile", "mera-code")
    ran(tmp_path / "here", "--profile", "strict", "--profile", "mera-code", name="other", passed=3)
    here = [benchwright("show", "runs/mine", 1, cwd=tmp_path / "here").out]
    there = tmp_path / "there"
    shutil.copytree(folder.parent, there)
    shutil.rmtree(tmp_path / "here")
    said = {
        name: called(*line, cwd=tmp_path)
        for name, line in {
            "show": ["show", "there/mine", 1],
            "compare": ["compare", "there/mine", "there/other"],
            "rank": ["rank", "there/mine", "there/other"],
            "mera": ["export", "mera", "there/mine", "--out", "new/deep/s.zip", "--samples", "new/logs"],
        }.items()
    }

    assert {name: each.code for name, each in said.items()} == dict.fromkeys(said, 0), said
    assert [said["show"].out] == here
    assert not any("--data" in each.out + each.err for each in said.values())
    assert (tmp_path / "new/deep/s.zip").is_file() and list((tmp_path / "new/logs").iterdir())


def test_the_copy_continues_its_run(tmp_path: Path) -> None:
    """The data set in the folder has the hash that the run knows: given as --data, it is the same run."""
    made = ran(tmp_path / "here")
    answers = shutil.copy(tmp_path / "here" / "mine.jsonl", tmp_path)
    folder = moved(made, tmp_path / "there")
    verdicts = (folder / "verdicts.jsonl").read_bytes()
    line = ["run", "ruhumaneval", "--data", folder / "tasks.gz", "--model", f"replay:{answers}"]
    said = called(*line, "--out", folder, "--quiet", cwd=tmp_path)

    assert (said.code, said.err, (folder / "verdicts.jsonl").read_bytes()) == (0, "", verdicts)


def test_hidden_tasks_leave_no_trace(tmp_path: Path) -> None:
    """Neither instruction, function, arguments nor outputs are in any file, wrong answers' reasons included."""
    open_folder = ran(tmp_path / "open", passed=2)
    folder = ran(tmp_path / "hidden", "--without-tasks", passed=2)
    found = {
        name: [secret for secret in SECRETS if secret.encode() in held(each)]
        for name, each in {"open": open_folder, "hidden": folder}.items()
    }
    verdicts = [read_rows(each / "verdicts.jsonl") for each in (open_folder, folder)]

    assert found == {"open": list(SECRETS), "hidden": []}
    outcomes = [[row["outcome"] for row in each] for each in verdicts]

    assert outcomes[0] == outcomes[1]
    assert any("detail" in row for row in verdicts[0])


def test_hidden_tasks_are_missed_in_words(tmp_path: Path) -> None:
    """Each command says in a line what is not there and why; with --data all is as it was."""
    folder = ran(tmp_path / "here", "--without-tasks")
    ran(tmp_path / "here", "--without-tasks", name="other", passed=3)
    here = tmp_path / "here"
    lines = {
        "show": ["show", "runs/mine", 1],
        "compare": ["compare", "runs/mine", "runs/other"],
        "rank": ["rank", "runs/mine", "runs/other"],
        "mera": ["export", "mera", "runs/mine", "--out", "s.zip"],
    }
    without = {name: called(*line, cwd=here) for name, line in lines.items()}
    named = {name: called(*line, "--data", "tasks.jsonl", cwd=here) for name, line in lines.items()}

    for name, said in without.items():
        told = " ".join((said.out + said.err).split())
        assert "runs/mine keeps no tasks (it was run with --without-tasks)" in told, (name, told)
        assert "--data PATH" in told
    assert {name: said.code for name, said in without.items()} == {**dict.fromkeys(lines, 0), "mera": 1}
    assert {name: said.code for name, said in named.items()} == dict.fromkeys(lines, 0), named
    assert not any("keeps no tasks" in said.out + said.err for said in named.values())
    assert "def times_1" in named["show"].out and "def times_1" not in without["show"].out
    assert folder.is_dir()


def test_a_page_of_hidden_tasks_says_what_it_lacks(tmp_path: Path) -> None:
    """And with --data it is the page of a run that keeps its tasks, but for nothing."""
    here = tmp_path / "here"
    bare, said = report(ran(here, "--without-tasks"), here)
    whole, _ = report(here / "runs" / "mine", here, "--data", here / "tasks.jsonl")

    assert "note: the page omits questions, programs and canonical solutions: " in said.err
    assert len(bare) < len(whole)


def test_an_earlier_folder_says_where_its_data_was(tmp_path: Path) -> None:
    """It is read with the data set in its place, or with --data, else the line names the place."""
    folder = shutil.copytree(EARLIER / FINISHED, tmp_path / "run")
    shutil.copy(EARLIER / "tasks.jsonl", tmp_path)
    (tmp_path / "desk").mkdir()
    in_place = called("show", "run", 1, cwd=tmp_path)
    away = called("show", folder, 1, cwd=tmp_path / "desk")
    named = called("show", folder, 1, "--data", "../tasks.jsonl", cwd=tmp_path / "desk")
    wrong = called("show", folder, 1, "--data", write(tmp_path / "w.jsonl", [mera_row(0)]), cwd=tmp_path)

    assert (in_place.code, away.code, named.code, wrong.code) == (0, 0, 0, 1)
    assert in_place.out == named.out != away.out
    assert "keeps no tasks, and its data set is not at tasks.jsonl any more, seen from here" in away.err
    assert "is not the data set of" in wrong.err


def test_changed_tasks_are_refused(tmp_path: Path) -> None:
    """A page with other questions than were asked would be worse than none."""
    folder = ran(tmp_path / "here")
    other = rows()
    other[0]["outputs"] = ["0", "0"]
    text = write(tmp_path / "other.jsonl", other).read_bytes()
    (folder / "tasks.gz").write_bytes(gzip.compress(text))
    lines = (
        ["show", folder, 1],
        ["export", "mera", folder, "--out", tmp_path / "s.zip"],
        ["compare", folder, folder],
    )
    said = [called(*line) for line in lines[:2]]
    healed = called("show", folder, 1, "--data", tmp_path / "here" / "tasks.jsonl")

    assert [each.code for each in said] == [1, 1]
    assert all("tasks.gz is not the file that the run stored" in each.err for each in said)
    assert (healed.code, healed.err) == (0, "")


def test_tasks_that_are_kept_are_not_withheld_later(tmp_path: Path) -> None:
    """Reasons of verdicts quote them already; and what is withheld stays so without the option."""
    ran(tmp_path / "here")
    line = ["run", "ruhumaneval", "--data", "tasks.jsonl", "--model", "replay:mine.jsonl", "--out"]
    refused = called(*line, "runs/mine", "--without-tasks", cwd=tmp_path / "here")
    folder = ran(tmp_path / "hidden", "--without-tasks")
    again = called(*line, "runs/mine", "--quiet", cwd=tmp_path / "hidden")

    assert (refused.code, "already contains its tasks" in refused.err) == (1, True)
    assert (again.code, (folder / "tasks.gz").exists()) == (0, False)

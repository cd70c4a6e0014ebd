"""Every command that the documentation shows is understood by the command line, and executed, or on a list."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from benchwright.stub_server import Script, StubServer
from kit.audit_rows import mbpp_row
from kit.doc_commands import ELSEWHERE, Reader, blocks, lines, misunderstood, pages, spans
from kit.needs import need
from kit.ports import free_port
from kit.small_data import ANSWERS, gold_of, humaneval_row, mera_row, name_of, write

ROOT = Path(__file__).parents[2]
PAGES = {str(path.relative_to(ROOT)): path for path in pages(ROOT)}

# Pages whose commands are executed on made data by other tests, which call the same verbs.
BY_OTHERS = {
    "docs/releasing.md": ("tools/test_release_command.py",),
    "docs/alignment-sources.md": (
        "cli/test_build_alignment_sources.py",
        "docs/test_docs_alignment_sources.py",
    ),
    "docs/agreement.md": ("cli/test_cli_judge_agreement.py", "cli/test_cli_judge_plan.py"),
    "docs/aicodereval.md": ("cli/test_cli_build_aicodereval.py", "cli/test_cli_compare.py"),
    "docs/building-aicodereval.md": ("cli/test_cli_build_aicodereval.py",),
    "docs/alignment-github.md": ("building/alignment/test_github_build.py",),
    "docs/codecorrectness.md": (
        "cli/test_cli_build.py",
        "cli/test_cli_verify.py",
        "cli/test_cli_searching.py",
    ),
    "docs/data-sets.md": ("cli/test_cli_data.py",),
    "docs/own-repositories.md": ("docs/test_docs_tutorials.py",),
    "docs/own-tasks.md": ("docs/test_docs_own_tasks.py", "cli/test_cli_own_graders.py"),
    "docs/own-prompts.md": ("cli/test_cli_own_graders.py",),
    "docs/own-track.md": ("docs/test_docs_tutorials.py",),
    "docs/cluster.md": ("cluster/test_private_session.py", "cluster/test_ray_executor.py"),
    "docs/planning.md": ("benchmarks/test_bench_cluster.py",),
    "docs/ianvs.md": ("cli/test_cli_ianvs.py",),
    "docs/training-exports.md": (
        "cli/test_cli_export_training.py",
        "integration/test_training_exports.py",
    ),
    "docs/exports.md": ("interop/exports/test_run_tables.py", "interop/exports/test_trackers.py"),
    "docs/pytest.md": ("pytest_plugin/test_plugin.py",),
    "docs/interop.md": (
        "cli/test_cli_tool_logs.py",
        "cli/test_cli_export_inspect.py",
        "cli/test_cli_import.py",
    ),
    "docs/alignment-labels.md": ("cli/test_cli_judge_links.py", "web/station/test_station_links.py"),
    "docs/judging-by-sheets.md": ("cli/test_cli_judge_sheets.py", "cli/test_cli_judge_station_votes.py"),
    "docs/judging.md": ("cli/test_cli_judged_comments.py", "cli/test_cli_judge_pairs.py"),
    "docs/mera.md": (
        "cli/test_cli_export_mera.py",
        "cli/test_cli_check_submission.py",
        "docs/test_docs_mera.py",
    ),
    "docs/batches.md": ("cli/test_cli_batches.py",),
    "docs/providers.md": ("cli/test_cli_providers.py",),
    "docs/stdio-tasks.md": ("cli/test_stdio_run.py",),
    "docs/refine.md": ("cli/test_refine_run.py",),
    "docs/stored-answers.md": ("cli/test_cli_stored_answers.py",),
    "docs/running-a-station.md": ("cli/test_cli_judge_serve.py",),
    "docs/live-view.md": ("cli/test_cli_view.py",),
    "docs/serve.md": ("cli/test_cli_serve.py",),
    "docs/submissions.md": ("web/submissions/test_submission_server.py",),
    "docs/operating-a-server.md": ("web/serve/test_serve_backup.py", "cli/test_cli_serve.py"),
}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_is_understood(page: str) -> None:
    """In blocks, tables and prose: the verb is there, and so is each option."""
    shown = [line for block in blocks(PAGES[page]) for line in lines(block) if "benchwright " in line]
    shown = [
        line[line.index("benchwright ") :]
        for line in shown
        if not line.startswith(("pip", "docker", "export"))
    ]
    faults = {text: misunderstood(text) for text in (*shown, *spans(PAGES[page]))}

    assert {text: fault for text, fault in faults.items() if fault} == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("benchwright run humaneval --data x --model gold:", ""),
        ("./run benchwright judge plan RUN --width 0.1", ""),
        ("run humaneval --modle gold:", "benchwright run has no option --modle"),
        ("benchwright export insect runs/mine", "benchwright export has no command 'insect'"),
        ("uvx benchwright shw", "benchwright has no command 'shw'"),
        ("benchwright run humaneval --data x > file --gone", ""),
        ("benchwright VERB --help", ""),
    ],
)
def test_what_the_command_line_has_not_is_found(text: str, fault: str) -> None:
    """A command or option that was renamed; words in capitals stand for any."""
    assert misunderstood(text) == fault


def data(folder: Path) -> None:
    """The files that pages presume: a data set in HumanEval's shape, MERA's, and stored answers to them."""
    numbers = {f"HumanEval/{each}": number for number, each in enumerate((3, 47, 116))}
    rows = [humaneval_row(number, task_id=name) for name, number in numbers.items()]
    text = "".join(json.dumps(each) + "\n" for each in rows)
    (folder / "HumanEval.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    write(folder / "test.json", map(mera_row, range(3)))
    write(folder / "rows.jsonl", map(mera_row, range(3)))
    write(folder / "mbpp.jsonl", [mbpp_row()])
    for name, outcomes in {"samples": ["passed"], "mine": ["passed"], "theirs": ["passed", "wrong"]}.items():
        answers = [
            {"task_id": task, "completion": ANSWERS[outcome].replace("{gold}", gold_of(number))}
            for task, number in numbers.items()
            for outcome in (outcomes * 2)[:2]
        ]
        write(folder / f"{name}.jsonl", answers)


# The runs that other pages begin with, each by its command on docs/compare-two-models.md.
EARLIER = {
    name: f"benchwright run humaneval --data HumanEval.jsonl.gz --model replay:{name}.jsonl --out runs/{name}"
    for name in ("mine", "theirs")
}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Path:
    """Runs of earlier pages, by the names that they have there."""
    folder = tmp_path_factory.mktemp("earlier")
    data(folder)
    reader = Reader(folder)
    for command in EARLIER.values():
        assert command in blocks(PAGES["docs/compare-two-models.md"])[0].splitlines()
        ended = reader.paste(command)
        assert ended.code == 0, ended
    for name, same in {
        "a": "mine",
        "b": "theirs",
        "c": "theirs",
        "new": "mine",
        "released": "theirs",
    }.items():
        shutil.copytree(folder / "runs" / same, folder / "runs" / name)
    return folder / "runs"


def script(folder: Path) -> None:
    """A script of the stub server."""
    write(folder / "answers.jsonl", [{"contains": "", "completions": ["    return 1\n"]}])


def corpus(folder: Path) -> None:
    """Other data and texts that an audit looks for copies in."""
    write(folder / "other.jsonl", [humaneval_row(4, task_id="Other/4")])
    (folder / "folder-of-texts").mkdir()
    (folder / "folder-of-texts/a.txt").write_text(f"def {name_of(1)}(x): pass\n")
    write(folder / "rows.jsonl", [humaneval_row(number) for number in range(2)])
    shutil.copytree(folder / "runs/theirs", folder / "runs/other")


def nightly(folder: Path) -> None:
    """A small suite by the name that the page has."""
    text = "[[models]]\nmodel = 'replay:samples.jsonl'\n[[tracks]]\nname = 'ru'\ntrack = 'humaneval'\n"
    (folder / "nightly.toml").write_text(f"{text}data = 'HumanEval.jsonl.gz'\n")


class Scene(NamedTuple):
    """What a page presumes, and which of its lines another page or test executes."""

    made: tuple[Callable[[Path], None], ...]
    left_out: tuple[str, ...] = ()
    after_runs: bool = False


SCENES = {
    "README.md": Scene(
        (data,),
        after_runs=True,
        left_out=(
            "./run benchwright audit",  # docs/audit.md has the same line
            "./run benchwright build aicodereval",  # docs/building-aicodereval.md
            "./run benchwright run aicodereval",
            "./run benchwright convert --data issues.json",  # tests/cli/test_cli_convert.py
            "./run benchwright run smartcoding",  # tests/cli/test_cli_judged_comments.py
            "    --judge openai:my-judge",
        ),
    ),
    "docs/getting-started.md": Scene(()),
    "docs/compare-two-models.md": Scene((data,), after_runs=True, left_out=tuple(EARLIER.values())),
    "docs/read-the-report.md": Scene((data,), after_runs=True),
    "docs/ci-gate.md": Scene(
        (data,),
        after_runs=True,
        left_out=(
            "BENCHWRIGHT_RUN=",  # tests/action/test_action.py
            *(each.partition(" --out")[0] for each in EARLIER.values()),  # the same, into other folders
        ),
    ),
    "docs/large-runs.md": Scene((data,), left_out=("./run setup ray", "./run benchwright run --on ray")),
    "docs/suite.md": Scene((data, nightly)),
    "docs/timeouts.md": Scene((data,)),
    "docs/audit.md": Scene((data, corpus), after_runs=True),
    "docs/stub-server.md": Scene((data, script), left_out=("benchwright stub-server --port 8100",)),
}


@pytest.fixture(scope="module")
def port() -> int:
    """The port of the servers that pages start themselves, one page after the other."""
    return free_port()


@pytest.fixture(scope="module")
def server() -> Iterator[StubServer]:
    """A model that answers anything, at the address that pages call localhost:8000."""
    with StubServer(Script.of({"": ["    return x\n"]})) as started:
        yield started


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("page", SCENES)
def test_the_commands_of_a_page_do_what_it_says(
    page: str, tmp_path: Path, server: StubServer, port: int, request: pytest.FixtureRequest
) -> None:
    """Pasted one block after the other, each ends well."""
    scene = SCENES[page]
    for program in ("curl", "git"):
        if any(f"{program} " in block for block in blocks(PAGES[page])):
            need(program, "the page calls")
    if scene.after_runs:
        shutil.copytree(request.getfixturevalue("earlier"), tmp_path / "runs")
    for make in scene.made:
        make(tmp_path)
    if page == "docs/stub-server.md":
        port = urlsplit(server.base_url).port or 0
    reader = Reader(tmp_path, address=server.base_url, port=port)
    left_out = (*ELSEWHERE, *scene.left_out)
    try:
        ended = [reader.paste(block, left_out) for block in blocks(PAGES[page])]
    finally:
        reader.close()

    assert [each for each in ended if each.code] == []


def test_every_page_is_executed_here_or_elsewhere() -> None:
    """A page with commands has a scene, is executed by the named tests, or has lines of the list alone."""
    named = {page for page in PAGES if any(_own(block) for block in blocks(PAGES[page]))}
    absent = [name for names in BY_OTHERS.values() for name in names if not (ROOT / "tests" / name).is_file()]

    assert named - SCENES.keys() - BY_OTHERS.keys() == set()
    assert absent == []


def _own(block: str) -> list[str]:
    """The lines of a block that no list takes."""
    return [line for line in lines(block) if not line.startswith(tuple(ELSEWHERE))]

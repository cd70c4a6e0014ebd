"""`benchwright audit`: what it prints, exits with and refuses."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from benchwright.auditing.findings import CODES, WEIGHTS
from benchwright.cli import shell_completion
from benchwright.cli.audit import command
from benchwright.errors import BenchwrightError
from kit.audit_rows import row, sound
from kit.command_line import benchwright, called
from kit.needs import need_sandbox
from kit.small_data import humaneval_row, mera_row, write

CONSTANT = row(
    "always", "Is x positive?", "    return x > 0\n", ["assert candidate(1)", "assert candidate(2)"]
)
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m[red]"


def test_findings_are_one_json_document(tmp_path: Path) -> None:
    """On stdout, with the page's place; the exit code is 1 only for a code that was asked for."""
    need_sandbox()
    data = write(tmp_path / "rows.jsonl", [CONSTANT, sound(4)[0]])

    said = benchwright("audit", data, "--out", tmp_path / "out", "--json", "--fail-on", "stub_passes")
    fine = benchwright("audit", data, "--out", tmp_path / "out", "--json", "--fail-on", "flaky")

    assert (said.code, fine.code) == (1, 0)
    assert (said.document["counts"]["stub_passes"], said.document["failed_on"]) == (1, ["stub_passes"])
    assert said.document["ranked"] == fine.document["ranked"]
    assert Path(said.document["page"]).is_file()


def test_people_read_counts_tasks_and_the_page(tmp_path: Path) -> None:
    """A table of codes, the worst tasks, the rows that could not be read, and where the page is."""
    need_sandbox()
    data = write(tmp_path / "rows.jsonl", [CONSTANT, {"a": 1}, humaneval_row(2, canonical_solution="")])

    said = called("audit", data, "--out", tmp_path / "out")

    assert (said.code, said.out) == (0, "")
    for words in (
        "stub_passes",
        "Own/always",
        "rows.jsonl:2",
        "no track reads such a row",
        "report.html",
        "3 rows, 2 tasks",
    ):
        assert words in said.err, said.err


LARGE = row(
    "large", "How many bytes?", "    return len(bytearray(x << 20))\n", ["assert candidate(120) == 120 << 20"]
)


def test_what_one_program_may_hold(tmp_path: Path) -> None:
    """A solution that needs more fails by it and is told what helps; a folder's trials are those of one limit."""
    need_sandbox()
    data = write(tmp_path / "rows.jsonl", [LARGE])
    usual = called("audit", data, "--out", tmp_path / "usual", "--json")
    more = called("audit", data, "--out", tmp_path / "more", "--memory", "1024", "--json")

    [task] = usual.document["ranked"]
    assert (usual.document["counts"]["gold_fails"], more.document["counts"].get("gold_fails")) == (1, None)
    [failed] = [each["detail"] for each in task["findings"] if each["code"] == "gold_fails"]
    assert "out_of_memory" in failed
    assert "it may hold 96 MiB; hint: --memory 768 --out OTHER" in failed

    other = called("audit", data, "--out", tmp_path / "more")
    assert (other.code, "with --memory 1024 for each program" in other.err) == (1, True)
    other = called("audit", data, "--out", tmp_path / "usual", "--memory", "1024")
    assert (other.code, "to resume it: omit --memory" in other.err) == (1, True)


def test_a_folder_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    """It names no limit: its programs had 1024 MiB, which has to be said now, and nothing is executed twice."""
    need_sandbox()
    data = write(tmp_path / "rows.jsonl", sound(2))
    called("audit", data, "--out", tmp_path / "out", "--memory", "1024")
    identity = json.loads((tmp_path / "out" / "audit.json").read_text())
    (tmp_path / "out" / "audit.json").write_text(json.dumps({"data": identity["data"]}))
    trials = (tmp_path / "out" / "trials.jsonl").read_bytes()

    refused = called("audit", data, "--out", tmp_path / "out")
    assert (refused.code, "to resume it: --memory 1024" in refused.err) == (1, True)
    assert called("audit", data, "--out", tmp_path / "out", "--memory", "1024").code == 0
    assert (tmp_path / "out" / "trials.jsonl").read_bytes() == trials


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.found.append(tag)


def test_hostile_names_act_nowhere(tmp_path: Path) -> None:
    """Ids and texts that are markup for a page, a terminal or rich are shown and do nothing."""
    need_sandbox()
    task = {**CONSTANT, "task_id": HOSTILE[:25], "prompt": str(CONSTANT["prompt"]).replace("Is", HOSTILE)}
    data = write(tmp_path / "<b>rows.jsonl", [task, {"task_id": HOSTILE, HOSTILE: 1}])

    said = called("audit", data, "--out", tmp_path / "out")

    page = (tmp_path / "out" / "report.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert (said.code, "\x1b" in said.err, "script" in tags.found, "b" in tags.found) == (
        0,
        False,
        False,
        False,
    )
    assert "&lt;script&gt;" in page


def _invoke(*args: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in args])


LABELS = {"instruction": "?", "inputs": {"focal_code": "", "test_code": ""}, "outputs": "", "meta": {"id": 1}}
WRONG: list[tuple[str, Any, tuple[str, ...], int, list[str]]] = [
    ("an empty file", b"", (), 1, ["the data set has no rows", "one JSON object per line"]),
    ("no JSON", b"hello\n", (), 1, ["rows.jsonl:1"]),
    ("an array of numbers", b"[1, 2]", (), 1, ["must be a JSON object"]),
    ("UTF-16", "{}".encode("utf-16"), (), 1, ["UTF-16", "iconv"]),
    ("a cut gzip", b"\x1f\x8b\x08\x00\x00", (), 1, ["gzip"]),
    ("labels", LABELS, (), 2, ["labels", "verify"]),
    ("another shape", mera_row(1), ("--track", "humaneval"), 1, ["MERA row"]),
    ("MERA with a number for a prompt", mera_row(1, instruction=3), (), 1, ["`instruction`", "number"]),
    ("a test that does not parse", humaneval_row(1, test="def"), (), 1, ["`test`", "does not parse"]),
    ("an unknown task", humaneval_row(1), ("--tasks", "Small/9"), 2, ["--tasks", "Small/1"]),
    ("an unknown code", humaneval_row(1), ("--fail-on", "stub_pass"), 2, ["did you mean `stub_passes`?"]),
    ("an empty code", humaneval_row(1), ("--fail-on", ""), 2, ["empty"]),
    ("a corpus that is not there", humaneval_row(1), ("--corpus", "/nowhere"), 2, ["--corpus", "/nowhere"]),
    ("a run that is not there", humaneval_row(1), ("--answers", "/nowhere"), 1, ["/nowhere"]),
    ("a folder that is a file", humaneval_row(1), ("--out", __file__), 1, ["cannot be made"]),
    ("a folder in use", humaneval_row(1), ("--out", str(Path(__file__).parent)), 1, ["not empty"]),
]


@pytest.mark.parametrize(("name", "data", "options", "code", "words"), WRONG, ids=[each[0] for each in WRONG])
def test_wrong_input_is_refused_with_place_and_hint(
    name: str, data: Any, options: tuple[str, ...], code: int, words: list[str], tmp_path: Path
) -> None:
    """Before anything is executed: what, where, and what to do."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    out = () if "--out" in options else ("--out", tmp_path / "out")

    result = _invoke(path, *out, *options)

    assert isinstance(result.exception, BenchwrightError), (name, result.output, result.exception)
    text = str(result.exception)
    assert result.exception.exit_code == code
    assert [word for word in words if word not in text] == [], text


def test_a_file_that_is_not_there_is_a_slip(tmp_path: Path) -> None:
    """With the path, and exit code 2."""
    result = _invoke(tmp_path / "none.jsonl")

    assert isinstance(result.exception, BenchwrightError)
    assert (result.exception.exit_code, "none.jsonl" in str(result.exception)) == (2, True)


def test_codes_are_offered_to_the_shell() -> None:
    """Weights first, then codes, without those given."""
    context = click.Context(click.Command("audit"))
    context.params["fail_on"] = ("defect", "flaky")
    offered = shell_completion.finding_codes(context, click.Argument(["code"]), "")

    assert [item.value for item in offered] == [
        code for code in (*WEIGHTS, *CODES) if code not in ("defect", "flaky")
    ]

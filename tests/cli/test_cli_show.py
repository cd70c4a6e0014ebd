"""`benchwright show`: every answer of a run can be read, and none of them can act on the terminal."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from benchwright.records import Answer, Isolation, Outcome, Record, Verdict
from benchwright.store.data_files import data_hash
from benchwright.store.writing import Appender, write_json
from kit.command_line import CONTROL, benchwright, called, inside
from kit.small_data import answers, humaneval, humaneval_row, write

# What rich itself writes for colour; nothing else may begin with an escape.
STYLE = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "\x1b[2J\x1b]0;title\x07 [bold]loud[/bold] [/] :bomb: \x9b31m \r\x08\x00 \u202e ]8;;http://x"
PLAIN = r"\x1b[2J\x1b]0;title\x07 [bold]loud[/bold] [/] :bomb: \x9b31m \r\x08\x00 \u202e ]8;;http://x"
CODE = "    return x + 0\n"


def _answer(sample: int, text: str, *, model: str = "replay:x") -> Answer:
    return Answer(key=f"a{sample}", task_id="Small/0", sample=sample, model=model, text=text)


def _verdict(sample: int, outcome: str, **more: Any) -> Verdict:
    fixed: dict[str, Any] = {"isolation": Isolation.separated, "profile": "strict"}
    return Verdict(
        key=f"v{sample}", task_id="Small/0", sample=sample, outcome=Outcome(outcome), **fixed | more
    )


def _append(path: Path, records: list[Any]) -> None:
    with Appender(path) as file:
        file.append_all(records)


def _folder(place: Path, answered: list[Answer], verdicts: list[Verdict], **others: list[Record]) -> Path:
    """A run folder as a run leaves it, of one task; `others` are verdicts by further profiles."""
    data, folder = humaneval(place, tasks=1), place / "run"
    folder.mkdir()
    identity = {"track": "humaneval", "data": data_hash(data), "profile": "strict"}
    write_json(folder / "run.json", {"identity": identity, "data": str(data)})
    _append(folder / "answers.jsonl", answered)
    _append(folder / "verdicts.jsonl", verdicts)
    for profile, rows in others.items():
        _append(folder / f"verdicts.{profile.replace('_', '-')}.jsonl", rows)
    return folder


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """A run with a right answer, a wrong one, and one that is not judged yet."""
    texts = [CODE, "Here:\n```python\ndef plus_0(x):\n    return 1\n```", "    return 2\n"]
    verdicts = [_verdict(0, "passed"), _verdict(1, "wrong", detail="call 1 gave 1", rule="fence")]
    return _folder(tmp_path, [_answer(n, text) for n, text in enumerate(texts)], verdicts)


def test_tasks(ran: Path) -> None:
    """Without a task there is one line for each, with how many answers passed and how the rest ended."""
    result = inside("show", ran)

    assert (result.exit_code, result.stdout.split()[-4:]) == (0, ["Small/0", "1/2", "1", "wrong"])


def test_tasks_as_json(ran: Path) -> None:
    """--json has the same as one document."""
    result = inside("show", ran, "--json")
    tasks = [{"task_id": "Small/0", "outcomes": {"passed": 1, "wrong": 1}}]

    assert json.loads(result.stdout) == {"run": str(ran), "tasks": tasks, "self_check": None}


@pytest.mark.parametrize(("outcome", "tasks"), [("wrong", 1), ("flaky", 0)])
def test_tasks_with_an_outcome(ran: Path, outcome: str, tasks: int) -> None:
    """--outcome leaves only tasks that have such an answer."""
    result = inside("show", ran, "--outcome", outcome, "--json")

    assert (result.exit_code, len(json.loads(result.stdout)["tasks"])) == (0, tasks)


def test_one_task(ran: Path) -> None:
    """A task shows each answer with its outcome, the reason, and the program that was taken from it."""
    result = inside("show", ran, "Small/0")
    titles = re.findall(r"task Small/0 · sample (\d) · ([a-z ]+) ─", result.stdout)
    shown = [
        "why: call 1 gave 1" in result.stdout,
        "```" in result.stdout,
        '"""Give x + 0."""' in result.stdout,
    ]

    assert (result.exit_code, titles, shown) == (
        0,
        [("0", "passed"), ("1", "wrong"), ("2", "not judged")],
        [True, False, True],
    )


def test_sample(ran: Path) -> None:
    """--sample shows one answer only."""
    result = inside("show", ran, "Small/0", "--sample", 1)

    assert re.findall(r"sample (\d)", result.stdout) == ["1"]


def test_raw(ran: Path) -> None:
    """--raw shows the text as the model gave it, the fence with it."""
    result = inside("show", ran, "Small/0", "--sample", 1, "--raw")

    assert result.stdout.endswith("Here:\n```python\ndef plus_0(x):\n    return 1\n```\n")


def test_answers_with_an_outcome(ran: Path) -> None:
    """--outcome beside a task shows the answers that ended so."""
    result = inside("show", ran, "Small/0", "--outcome", "wrong")

    assert re.findall(r"sample (\d)", result.stdout) == ["1"]


def test_answers_as_json(ran: Path) -> None:
    """--json has each answer, its verdict or null, and its program; with --raw no program."""
    answered = json.loads(inside("show", ran, "Small/0", "--json").stdout)["answers"]
    raw = json.loads(inside("show", ran, "Small/0", "--json", "--raw").stdout)["answers"]

    assert [set(each) for each in answered] == [{"answer", "verdict", "program"}] * 3
    assert [each["verdict"] and each["verdict"]["outcome"] for each in answered] == ["passed", "wrong", None]
    assert [each["program"] is None for each in answered] == [False] * 3
    assert [each["program"] is None for each in raw] == [True] * 3


def test_without_the_data_set(ran: Path) -> None:
    """Where the data set is gone or another one, the raw text is shown in place of the program."""
    write(ran.parent / "tasks.jsonl", [humaneval_row(0, prompt="def plus_0(x):\n")])
    other = inside("show", ran, "Small/0", "--sample", 1).stdout
    (ran.parent / "tasks.jsonl").unlink()
    gone = inside("show", ran, "Small/0", "--sample", 1)

    assert ("```python" in other, other) == (True, gone.stdout)
    assert "note: only raw texts are available: " in gone.stderr and "--data PATH" in gone.stderr


def test_differences(tmp_path: Path) -> None:
    """--differ lists each answer that passes by one profile and not by another, and no other."""
    folder = _folder(
        tmp_path,
        [_answer(n, CODE) for n in range(2)],
        [_verdict(0, "passed"), _verdict(1, "passed")],
        mera_code=[
            _verdict(0, "passed", profile="mera-code"),
            _verdict(1, "syntax_error", profile="mera-code", detail="line 3"),
        ],
    )
    found = json.loads(inside("show", folder, "--differ", "--json").stdout)
    table = inside("show", folder, "--differ").stdout

    assert found["profiles"] == ["strict", "mera-code"]
    assert found["differences"] == [
        {"task_id": "Small/0", "sample": 1, "outcomes": {"strict": "passed", "mera-code": "syntax_error"}}
    ]
    assert table.split()[5:12] == ["Small/0", "1", "passed", "syntax", "error", "line", "3"]


def _hostile_folder(place: Path) -> Path:
    """Every field that a model or its server fills holds what a terminal would act on."""
    texts = [HOSTILE, f"    return x  # {HOSTILE}\n", f"x = '{'A' * 1_000_000}'\n", "B" * 1_000_000]
    return _folder(
        place,
        [_answer(n, text, model=HOSTILE) for n, text in enumerate(texts)],
        [
            _verdict(n, "wrong", detail=HOSTILE, stdout=HOSTILE, suspicious=HOSTILE, rule=HOSTILE)
            for n in range(len(texts))
        ],
        mera_code=[_verdict(n, "passed", profile="mera-code") for n in range(len(texts))],
    )


@pytest.mark.parametrize(
    "args", [("Small/0",), ("Small/0", "--raw"), ("--differ",), ()], ids=["code", "raw", "differ", "tasks"]
)
@pytest.mark.parametrize("colour", ["", "1"], ids=["file", "terminal"])
def test_hostile_text_does_nothing(args: tuple[str, ...], colour: str, tmp_path: Path) -> None:
    """No control byte of an answer, a name or a reason reaches the output, in colour or not."""
    said = benchwright(
        "show", _hostile_folder(tmp_path), *args, **({"FORCE_COLOR": colour} if colour else {})
    )
    left = CONTROL.findall(STYLE.sub("", said.out) if colour else said.out)

    assert (said.code, said.err, left, bool(STYLE.search(said.out))) == (0, "", [], bool(colour))


def test_hostile_text_is_shown(tmp_path: Path) -> None:
    """It is printed escaped and whole: brackets and colons as they are, a line of 1 MB too."""
    said = called("show", _hostile_folder(tmp_path), "Small/0", "--raw")
    times = {what: said.out.count(f"{what}{PLAIN}\n") for what in ("model: ", "why: ", "printed: ")}

    assert times == {"model: ": 4, "why: ": 4, "printed: ": 4}
    assert (said.out.count(f"\n{PLAIN}\n"), f"\nx = '{'A' * 1_000_000}'\n" in said.out) == (1, True)


def test_hostile_text_as_json(tmp_path: Path) -> None:
    """A document holds the text exactly, and JSON's own escapes keep the terminal safe from C0 controls."""
    said = called("show", _hostile_folder(tmp_path), "Small/0", "--json")

    assert said.document["answers"][0]["answer"]["text"] == HOSTILE
    assert [char for char in "\x00\x07\x08\x0d\x1b" if char in said.out] == []


@pytest.mark.usefixtures("jail")
def test_hostile_stored_answers(tmp_path: Path) -> None:
    """From a stored file to the screen: half a surrogate pair, escapes in code, in output and in an error."""
    bodies = [
        "    return x  # half \ud83d\n",
        "    print('\\x1b[2J')\n    raise KeyError('\\x1b[31m [bold]')\n",
        HOSTILE,
    ]
    rows = [{"task_id": "Small/0", "completion": body, "model": HOSTILE} for body in bodies]
    stored = tmp_path / "answers.jsonl"
    stored.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    data = humaneval(tmp_path, tasks=1)
    run = called(
        *("run", "humaneval", "--data", data, "--model", f"replay:{stored}"),
        *("--out", tmp_path / "run", "--workers", 1),
    )
    said = called("show", tmp_path / "run", "Small/0")

    assert (run.code, said.code, CONTROL.findall(run.err + said.out)) == (0, 0, [])
    assert ["# half \ufffd" in said.out, "KeyError" in said.out, "[bold]" in said.out] == [True] * 3


def test_a_terminal_without_utf_8(ran: Path) -> None:
    """Where the terminal knows ASCII only, what it cannot show is escaped and nothing fails."""
    said = benchwright("show", ran, "Small/0", "--sample", 0, PYTHONIOENCODING="ascii", LC_ALL="C")

    assert (said.code, said.out.isascii(), said.err) == (0, True, "")
    assert said.out.startswith(r"task Small/0 \xb7 sample 0 \xb7 passed ---")


def test_unknown_task(ran: Path) -> None:
    """A task that the run has not is an error that says how to list those it has."""
    said = called("show", ran, "Small/9")
    wanted = f"error: {ran} has no answers to task Small/9\nhint: benchwright show {ran}\n"

    assert said == (1, "", wanted)


def test_hostile_names_on_the_command_line(ran: Path) -> None:
    """A task name with an escape in it is echoed escaped."""
    said = called("show", ran, "\x1b[31mred")

    assert (said.code, CONTROL.findall(said.err), r"\x1b[31mred" in said.err) == (1, [], True)


@pytest.mark.parametrize(
    ("args", "says"),
    [(("--sample", "7"), "no answer matches --sample and --outcome"), (("--outcome", "flaky"), "no answer")],
)
def test_no_such_answer(ran: Path, args: tuple[str, ...], says: str) -> None:
    """A choice that leaves nothing is an error, not an empty page."""
    said = called("show", ran, "Small/0", *args)

    assert (said.code, says in said.err, "hint: " in said.err) == (1, True, True)


@pytest.mark.parametrize("args", [("--raw",), ("--sample", "0")])
def test_options_that_need_a_task(ran: Path, args: tuple[str, ...]) -> None:
    """--raw and --sample without a task are a usage error with the command to type."""
    said = called("show", ran, *args)

    assert said == (2, "", f"error: --sample and --raw require a TASK\nhint: benchwright show {ran}\n")


def test_one_profile_cannot_differ(ran: Path) -> None:
    """--differ on a run of one profile says how to get a second one."""
    said = called("show", ran, "--differ")

    assert (said.code, "judged by one profile only" in said.err, "--profile human-eval" in said.err) == (
        1,
        True,
        True,
    )


@pytest.mark.parametrize("name", ["nowhere", ".", "tasks.jsonl"])
def test_not_a_run_folder(name: str, tmp_path: Path) -> None:
    """A path without a run is an error that says what would be one."""
    humaneval(tmp_path)
    said = called("show", tmp_path / name)

    assert (said.code, said.out, "hint: " in said.err, "Traceback" in said.err) == (1, "", True, False)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"identity": 7}', b"\xff", b'{"identity": {}}'])
def test_damaged_manifest(content: bytes, ran: Path) -> None:
    """A run.json that says nothing usable is an error with a hint, whatever is in it."""
    (ran / "run.json").write_bytes(content)
    said = called("show", ran, "Small/0")

    assert (said.code, "run.json" in said.err, "hint: " in said.err, "Traceback" in said.err) == (
        1,
        True,
        True,
        False,
    )


def test_damaged_answers(ran: Path) -> None:
    """A line in the middle that is no record is named by file and line."""
    path = ran / "answers.jsonl"
    path.write_bytes(b"{]\n" + path.read_bytes())
    said = called("show", ran, "Small/0")

    assert (said.code, "answers.jsonl:1" in said.err, "Traceback" in said.err) == (1, True, False)


def test_a_torn_last_line_is_left_out(ran: Path) -> None:
    """A run that is still writing can be looked at: half of its last line is not there yet."""
    with (ran / "answers.jsonl").open("ab") as file:
        file.write(b'{"key": "a9", "task_id"')
    result = inside("show", ran, "Small/0", "--json")

    assert (result.exit_code, len(json.loads(result.stdout)["answers"])) == (0, 3)


@pytest.mark.usefixtures("jail")
def test_a_real_run(tmp_path: Path) -> None:
    """What `run` wrote, `show` reads: the tasks, and a program as it was executed."""
    data, stored = humaneval(tmp_path, tasks=2), answers(tmp_path, tasks=2, outcomes=("passed", "no_code"))
    model = f"replay:{stored}"
    called(
        *("run", "humaneval", "--data", data, "--model", model),
        *("--out", tmp_path / "run", "--quiet", "--workers", 1),
    )
    tasks = json.loads(inside("show", tmp_path / "run", "--json").stdout)["tasks"]
    program = inside("show", tmp_path / "run", "Small/1", "--sample", 0).stdout

    assert [task["outcomes"] for task in tasks] == [{"passed": 1, "no_code": 1}] * 2
    assert program.rstrip().endswith("    return x * 1")


def test_an_empty_name_is_a_usage_error(ran: Path) -> None:
    """`show "$RUN"` with RUN unset does not show the current folder, even where that is a run."""
    said = called("show", "", cwd=ran)

    assert said == (2, "", "error: RUN is empty\nhint: provide a value; a shell variable may be unset\n")


@pytest.mark.parametrize("args", [("--raw",), ("Small/9",), ("Small/0", "--sample", "7")])
def test_hints_can_be_pasted(args: tuple[str, ...], tmp_path: Path) -> None:
    """They name the command as this user types it, with the folder in quotes where a shell needs them."""
    place = tmp_path / "two words; $HOME"
    place.mkdir()
    folder = _folder(place, [_answer(0, CODE)], [_verdict(0, "passed")])
    said = called("show", folder, *args, BENCHWRIGHT_COMMAND="./run benchwright")
    hint = said.err.partition("hint: ")[2].strip()
    task = ["Small/0"] if len(args) == 3 else []

    assert shlex.split(hint) == ["./run", "benchwright", "show", str(folder), *task]


def test_differences_of_the_first_sample_are_refused_too(ran: Path) -> None:
    """0 is a number of a sample, not the lack of one."""
    said = called("show", ran, "--differ", "--sample", 0)

    assert (said.code, "--differ takes no TASK" in said.err) == (2, True)

"""Tools of an agent run in the sandbox, and its files are kept between turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Executor, ToolCall
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.running.workspace import (
    MAX_BYTES,
    MAX_CALLS,
    MAX_RESULT,
    ToolResults,
    ToolTurn,
    execute_tools,
)
from benchwright.sandbox.limits import Limits

TOOLS = {
    "write": "def write(path, text):\n    open(path, 'w').write(text)\n    return 'written'\n",
    "read": "def read(path):\n    return open(path).read()\n",
    "link": "def link(path, target):\n    import os\n    os.symlink(target, path)\n    return 'linked'\n",
    "make": "def make(path):\n    import os\n    os.makedirs(path)\n    return 'made'\n",
    "run": "def run(code):\n    scope = {}\n    exec(code, globals(), scope)\n    return scope.get('out')\n",
}

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    """Return one worker with a low limit."""
    with open_executor(ExecutorSetup(workers=1, limits=Limits(cpu_s=0.5))) as opened:
        yield opened


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def execute(executor: Executor, files: Mapping[str, bytes], *calls: ToolCall) -> ToolResults:
    """Return the results of one turn."""
    ((number, results),) = execute_tools([ToolTurn(calls, files)], TOOLS, executor)
    assert number == 0
    assert [(each.name, each.arguments) for each in results.calls] == [
        (each.name, each.arguments) for each in calls
    ]
    return results


def test_files_last_from_turn_to_turn(executor: Executor) -> None:
    """In folders too; a later call of a turn finds the files of an earlier one."""
    calls = (
        call("make", path="a/b"),
        call("write", path="a/b/c.txt", text="é"),
        call("read", path="a/b/c.txt"),
    )
    first = execute(executor, {}, *calls)
    second = execute(executor, first.files, call("read", path="a/b/c.txt"), call("write", path="d", text=""))

    assert [each.result for each in first.calls] == ["made", "written", "é"]
    assert [each.result for each in second.calls] == ["é", "written"]
    assert second.files == {"a/b/c.txt": "é".encode(), "d": b""}


def test_each_turn_has_a_folder_of_its_own(executor: Executor) -> None:
    """Files of one answer are invisible to another, though one interpreter executes both."""
    turns = [ToolTurn([call("write", path="x", text="1")], {}), ToolTurn([call("read", path="x")], {})]
    results = dict(execute_tools(turns, TOOLS, executor))

    assert results[0].files == {"x": b"1"}
    assert results[1].calls[0].result.startswith("FileNotFoundError")


def test_an_error_of_a_tool_is_its_result(executor: Executor) -> None:
    """Later calls are still executed."""
    results = execute(
        executor, {}, call("read", path="x"), call("read"), call("write", path="y", text="1")
    ).calls

    assert results[0].result == "FileNotFoundError: [Errno 2] No such file or directory: 'x'"
    assert results[1].result.startswith("TypeError: read() missing 1 required")
    assert results[2].result == "written"


def test_calls_that_cannot_be_made_say_why(executor: Executor) -> None:
    """Unknown tools, and too many calls in a turn; the others keep their results."""
    calls = [call("shell", command="ls"), *[call("run", code=f"out = {at}") for at in range(MAX_CALLS + 1)]]
    results = [each.result for each in execute(executor, {}, *calls).calls]

    assert results[0] == "unknown tool 'shell'; the tools are: write, read, link, make, run"
    assert results[1:-1] == [str(at) for at in range(MAX_CALLS)]
    assert results[-1] == f"not executed: at most {MAX_CALLS} calls a turn"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", "timed_out"),
        ("import os; os._exit(3)", "exception"),
        ("out = bytearray(1 << 40)", ""),
    ],
)
def test_a_turn_that_was_ended_keeps_the_files_before_it(executor: Executor, code: str, reason: str) -> None:
    """The model gets the reason."""
    wrote = call("write", path="x", text="2")
    results = execute(executor, {"x": b"1"}, wrote, call("run", code=code))

    if reason:
        assert results.files == {"x": b"1"}
        assert all(each.result.startswith(f"the tools were ended: {reason}") for each in results.calls)
    else:
        assert results.calls[1].result.startswith("MemoryError")


@pytest.mark.parametrize(
    "code",
    [
        f"open('large', 'w').write('x' * {MAX_BYTES + 1})",
        "for at in range(101): open(f'f{at}', 'w').close()",
        r"open(b'\xff\xfe', 'w').close()",
        r"open('a\nb', 'w').close()",
        r"globals()['_read_files'] = lambda: [b'0 0\n' * 40_000]",
        r"globals()['_read_files'] = lambda: [b'1 -9\na' * 20_000]",
        r"globals()['_read_files'] = lambda: [b'1 9\na']",
        "globals()['_read_files'] = lambda: [b'9' * 180_000]",
    ],
)
def test_files_that_cannot_be_kept_leave_those_before(executor: Executor, code: str) -> None:
    """Too large, too many, with an invalid name, or with forged lengths."""
    results = execute(executor, {"x": b"1"}, call("run", code=code))

    assert results.files == {"x": b"1"}
    assert results.calls[0].result.startswith("the files were not kept: ")


def test_large_files_are_kept_whole(executor: Executor) -> None:
    """They may have many chunks and any bytes."""
    code = "open('data', 'wb').write(bytes(range(256)) * 700)"

    assert execute(executor, {}, call("run", code=code)).files == {"data": bytes(range(256)) * 700}


def test_a_long_result_is_cut(executor: Executor) -> None:
    """The limit is in bytes; bytes that are no text any more are replaced."""
    (result,) = execute(executor, {}, call("run", code="out = 'é' * 5000")).calls

    assert len(result.result.encode()) <= MAX_RESULT + 3
    assert result.result.startswith("éé")


def test_a_link_is_no_file(executor: Executor) -> None:
    """It is not followed out of the folder, and is not kept."""
    results = execute(executor, {}, call("link", path="x", target="/etc/passwd"))

    assert (results.calls[0].result, results.files) == ("linked", {})


def test_tools_see_nothing_of_this_machine(
    executor: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model's code in a tool is as confined as an answer: no file, no variable, no network."""
    (tmp_path / "secret").write_text("4242")
    monkeypatch.setenv("SECRET_KEY", "4242")
    codes = [
        f"out = open({str(tmp_path / 'secret')!r}).read()",
        "import os; out = os.environ['SECRET_KEY']",
        "import socket; out = socket.create_connection(('127.0.0.1', 9))",
    ]
    results = [
        each.result for each in execute(executor, {}, *[call("run", code=code) for code in codes]).calls
    ]

    assert "4242" not in "".join(results)
    assert [each.split(":")[0] for each in results] == ["FileNotFoundError", "KeyError", "PermissionError"]


def test_code_that_falsifies_results_changes_only_what_its_model_is_told(executor: Executor) -> None:
    """For any output, the result is text and the files are files."""
    forged = "global _call\n_packed.append(7)\ndef _turn(calls, number): return {'x': object}\nout = 1"
    results = execute(executor, {"x": b"1"}, call("run", code=forged))

    assert isinstance(results.calls[0].result, str)
    assert all(isinstance(each, bytes) for each in results.files.values())

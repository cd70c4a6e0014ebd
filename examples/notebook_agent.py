"""An agent with two tools: `--agent notebook` lets a model write files and run them before it answers.

[project.entry-points."benchwright.agents"]
notebook = "notebook_agent:AGENT"
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from benchwright.contracts import Attempt, ToolCall, Track
from benchwright.records import Answer

# The tools run in the sandbox, where the current folder lasts until the model gives its last answer.
WRITE_FILE = """
def write_file(path, text):
    with open(path, "w") as file:
        return f"{file.write(text)} characters written"
"""
RUN_FILE = """
def run_file(path):
    import contextlib, io
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), open(path) as file:
        exec(compile(file.read(), path, "exec"), {"__name__": "__main__"})
    return printed.getvalue()
"""
CALL = re.compile(r"^TOOL (\w+) (\{.*\})$", re.MULTILINE)


class NotebookAgent:
    """Reads calls such as `TOOL run_file {"path": "try.py"}`; an answer without any is the last one."""

    name, rounds, judged = "notebook", 5, False
    system = (
        "You may use tools before you answer, one call on a line of its own: "
        'TOOL write_file {"path": "try.py", "text": "print(1)"} or TOOL run_file {"path": "try.py"}. '
        "To answer, give the program and no call."
    )
    tools = {"write_file": WRITE_FILE, "run_file": RUN_FILE}

    def check(self, track: Track) -> None:
        """Any track will do: the tools need nothing of it."""

    def calls(self, answer: Answer) -> Sequence[ToolCall]:
        """One call for each line that asks for one. A line with bad JSON asks for none."""
        calls = []
        for name, text in CALL.findall(answer.text):
            with suppress(ValueError):
                calls.append(ToolCall(name=name, arguments=json.loads(text)))
        return calls

    def reply(self, attempt: Attempt) -> str | None:
        """The results, or None when the model asked for nothing."""
        return "\n".join(f"{call.name}: {call.result}" for call in attempt.calls) or None


AGENT = NotebookAgent()

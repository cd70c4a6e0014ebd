"""Judge programs that read stdin and write stdout, one task a line, with stored answers."""

import json
from pathlib import Path

import benchwright as bw

cases = [{"input": "1 2\n", "output": "3\n"}, {"input": "5 6\n", "output": "11\n"}]
task = {"id": "sum", "prompt": "Print the sum of two integers.", "cases": cases}
task["solution"] = "print(sum(map(int, input().split())))"
programs = ["a, b = map(int, input().split())\nprint(a + b)", "print(3)"]
answers = [{"task_id": "sum", "completion": f"```python\n{each}\n```"} for each in programs]
Path("programs.jsonl").write_text(json.dumps(task) + "\n")
Path("answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in answers))

run = bw.run("stdio", data="programs.jsonl", model="replay:answers.jsonl", out="runs/stdio")
for verdict in run.verdicts:
    print(verdict.task_id, verdict.sample, verdict.outcome.value, verdict.detail)

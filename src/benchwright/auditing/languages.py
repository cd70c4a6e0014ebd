"""Docstrings in another natural language than those of most tasks, such as untranslated ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from benchwright.auditing.findings import TaskFinding
from benchwright.auditing.tasks import AuditTask
from benchwright.text.words import natural_language, words

_DOCSTRING = re.compile(r"\"{3}(.*?)(?:\"{3}|\Z)|'{3}(.*?)(?:'{3}|\Z)", re.DOTALL)
_FEWEST = 3  # minimum number of words
_NAMES = {"en": "English", "ru": "Russian", "zh": "Chinese", "und": "another language"}


def other_languages(tasks: Sequence[AuditTask]) -> Iterator[TaskFinding]:
    """The tasks whose docstring is not in the language of more than half of the docstrings."""
    spoken = [(task, language) for task in tasks if (language := _language(task))]
    counts = Counter(language for _, language in spoken).most_common(1)
    for usual, count in counts:
        for task, language in spoken:
            if language != usual and 2 * count > len(spoken):
                detail = f"the docstring is in {_NAMES[language]}, those of most tasks in {_NAMES[usual]}"
                yield TaskFinding(task=task.unit, code="other_language", detail=detail)


def _language(task: AuditTask) -> str:
    """The language of a prompt's docstrings without their examples; "" if unknown."""
    found = "\n".join(one or other for one, other in _DOCSTRING.findall(task.solved.prompt))
    calls = (">>>", f"{task.solved.entry_point}(")
    prose = words("\n".join(line for line in found.splitlines() if not any(call in line for call in calls)))
    return natural_language(prose) if sum(map(str.isalpha, prose)) >= _FEWEST else ""

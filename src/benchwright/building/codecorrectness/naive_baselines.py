"""Naive baselines: how well labels can be guessed without understanding the code, for card and manifest.

Baselines by style learn from other repositories which marks and character groups occur with a label.
Baselines by comparison know all rows and compare the versions of one focal file. `label_patterns` lists
tokens that occur with one label more often than by chance. In a sound set every baseline is only as good as
always guessing the most common label.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import log1p
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from benchwright.records import Metric, Record
from benchwright.stats.association import fisher_exact, mcnemar
from benchwright.stats.intervals import mean_interval
from benchwright.stats.logistic import assign_folds, cross_validated, cross_validated_presence
from benchwright.stats.ranks import holm
from benchwright.store.keys import content_key
from benchwright.text.label import LABELS

MARGIN = 0.03  # margin above the majority from which a baseline gives a warning
LEAST = 20  # minimum rows of each label to learn from
SUCCESS, FAILED = LABELS


class BaselineRow(Record, frozen=True, kw_only=True):
    """The part of a row that a baseline sees, and its label."""

    focal_code: str
    test_code: str
    label: str
    repository: str
    focal_path: str

    @property
    def file(self) -> str:
        """The focal file: its rows are compared, and form one cluster of the interval."""
        return f"{self.repository}:{self.focal_path}"


class BaselineFigure(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The accuracy of one baseline, over the rows for which it has an answer."""

    reader: str
    accuracy: Metric | None = None
    absent: str = ""  # why there is no result
    warning: str = ""


def baseline_figures(rows: Sequence[BaselineRow]) -> dict[str, Any]:
    """The accuracy of all baselines as a JSON document, with the share of the most common label.

    Intervals treat the rows of one focal file as one cluster. It takes less than a minute for 2,000 rows of
    10,000 characters.
    """
    counts = {label: sum(row.label == label for row in rows) for label in LABELS}
    majority = max(LABELS, key=lambda label: counts[label])
    share = counts[majority] / len(rows)
    answers = {**_compared(rows), **_learnt(rows, counts)}
    figures = [_figure(name, rows, each, share) for name, each in answers.items()]
    return {
        "majority": {"label": majority, "share": share},
        "folds": FOLDS,
        "figures": [msgspec.to_builtins(each) for each in figures],
    }


def baseline_warnings(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each baseline that beats the majority by more than chance and MARGIN."""
    return [each["warning"] for each in document["figures"] if each.get("warning")]


def _compared(rows: Sequence[BaselineRow]) -> dict[str, list[str] | str]:
    versions = VersionDistances()
    files: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        files.setdefault(row.file, []).append(at)
    texts = [versions.number(row.focal_code) for row in rows]
    found: dict[str, list[str] | str] = {}
    for name, reader in comparison_baselines(versions).items():
        answers = [""] * len(rows)
        for places in files.values():
            for at, word in zip(places, reader([texts[at] for at in places]), strict=True):
                answers[at] = word
        found[name] = answers
    return found


def _learnt(rows: Sequence[BaselineRow], counts: Mapping[str, int]) -> dict[str, list[str] | str]:
    """The answers of the style baselines, or the reason why they cannot learn."""
    focal, tests = [row.focal_code for row in rows], [row.test_code for row in rows]
    repositories = [row.repository for row in rows]
    truth = [row.label == SUCCESS for row in rows]
    if lacks := _lacks(counts, len(set(repositories))):
        return {"marks": lacks, "character n-grams": lacks}
    return {
        "marks": _as_labels(mark_baseline(focal, truth, repositories)),
        "character n-grams": _as_labels(character_baseline(focal, tests, truth, repositories)),
    }


def _as_labels(answers: Sequence[bool]) -> list[str]:
    return [SUCCESS if each else FAILED for each in answers]


def _lacks(counts: Mapping[str, int], repositories: int) -> str:
    if repositories < FOLDS:
        return f"{FOLDS} repositories are needed to learn from the others; there are {repositories}"
    if min(counts.values()) < LEAST:
        return f"{LEAST} rows of each label are needed; there are {min(counts.values())}"
    return ""


def _figure(
    name: str, rows: Sequence[BaselineRow], answers: list[str] | str, majority: float
) -> BaselineFigure:
    if isinstance(answers, str):
        return BaselineFigure(reader=name, absent=answers)
    decided = [(word == row.label, row.file) for word, row in zip(answers, rows, strict=True) if word]
    if not decided:
        return BaselineFigure(reader=name, absent="no file has versions that it could compare")
    hits, files = [float(hit) for hit, _ in decided], [file for _, file in decided]
    found = mean_interval(hits, samples_per_task=1, clusters=files)
    accuracy = Metric(value=found.value, low=found.low, high=found.high, n=found.n, samples=1)
    return BaselineFigure(reader=name, accuracy=accuracy, warning=_warning(name, accuracy, majority))


def _warning(name: str, found: Metric, majority: float) -> str:
    """The warning about one baseline. One that is nearly always wrong reveals as much: invert its answers."""
    if found.low > majority + MARGIN:
        how, value, low, high = "guesses", found.value, found.low, found.high
    elif found.high < 1 - majority - MARGIN:
        how, value, low, high = "turned round guesses", 1 - found.value, 1 - found.high, 1 - found.low
    else:
        return ""
    return (
        f"the reader “{name}” {how} {100 * value:.1f} % of {found.n} labels ({100 * low:.1f} to "
        f"{100 * high:.1f}), and the most frequent label has {100 * majority:.1f} %: labels can be predicted "
        f"without reading the code"
    )


FOLDS = 5
MAX_TEXT = 20_000  # maximum length of the text read from a file
SIZES = (2, 3, 4, 5)  # characters of a group
_SPACE = 1 << 20  # hash buckets of groups; two in one bucket are one feature

# Traces of injected errors and mutations, in any of the languages.
MARKS = {
    "negated bracket": r"\bnot \(|!\(",
    "double negation": r"\bnot not\b|!!",
    "returns nothing": r"\breturn (?:None|null|nil)\b",
    "returns no": r"\breturn (?:False|false)\b",
    "returns yes": r"\breturn (?:True|true)\b",
    "returns empty": r"\breturn (?:\"\"|''|\[\]|\{\}|\(\))",
    "returns zero": r"\breturn 0\b",
    "bare return": r"\breturn;?[ \t]*$",
    "passes": r"^[ \t]*pass[ \t]*$",
    "plus one": r"[+] 1\b",
    "minus one": r"- 1\b",
    "or equal": r"[<>]=",
    "less or more": r"[<>](?![=<>])",
    "equal": r"==",
    "not equal": r"!=",
    "and": r"\band\b|&&",
    "or": r"\bor\b|\|\|",
    "constant condition": r"\b(?:if|while) \(?(?:True|False|true|false)\b",
    "zero": r"\b0\b",
    "one": r"\b1\b",
    "string minus": r"[\"'] - | - [\"']",
    "trailing space": r"[ \t]$",
}
_PATTERNS = [re.compile(pattern, re.MULTILINE) for pattern in MARKS.values()]


def mark_baseline(focal: Sequence[str], truth: Sequence[bool], repositories: Sequence[str]) -> list[bool]:
    """The answers of logistic regression on the frequency of marks, with folds by repository.

    Raises ValueError for fewer than five repositories.
    """
    known: dict[str, list[float]] = {}
    for text in focal:
        if text not in known:
            known[text] = [log1p(len(pattern.findall(text[:MAX_TEXT]))) for pattern in _PATTERNS]
    chances = cross_validated([known[text] for text in focal], truth, folds=FOLDS, groups=repositories)
    return [chance >= 0.5 for chance in chances]


def character_baseline(
    focal: Sequence[str], tests: Sequence[str], truth: Sequence[bool], repositories: Sequence[str]
) -> list[bool]:
    """The answers of logistic regression on character groups of both files, with folds by repository.

    Raises ValueError for fewer than five repositories.
    """
    folds = assign_folds(truth, folds=FOLDS, groups=repositories)
    known: dict[tuple[int, str], array[int]] = {}
    for part, texts in enumerate((focal, tests)):
        for text in texts:
            if (part, text) not in known:
                known[part, text] = _groups(text[:MAX_TEXT], part)
    rows = [known[0, one] + known[1, other] for one, other in zip(focal, tests, strict=True)]
    return cross_validated_presence(rows, truth, folds, repositories)


def _groups(text: str, part: int) -> array[int]:
    """The numbers of the character groups in a text; those of a test file differ from those of a focal
    file.
    """
    found = {text[at : at + size] for size in SIZES for at in range(len(text) - size + 1)}
    numbers = {crc32(group.encode("utf-8", "surrogatepass")) % _SPACE * 2 + part for group in found}
    return array("I", sorted(numbers))


TextReader = Callable[[Sequence[int]], list[str]]  # of the texts of one file's rows, by their numbers
GRAM = 3  # characters; how finely lines that differ are compared


class VersionDistances:
    """Focal texts by number, with their distances; each distance is computed once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lines: list[Counter[str]] = []
        self._known: dict[tuple[int, int], int] = {}

    def number(self, text: str) -> int:
        """The number of a text; equal texts have equal numbers."""
        found = self._numbers.setdefault(text, len(self._numbers))
        if found == len(self._lines):
            self._lines.append(Counter(text.split("\n")))
        return found

    def distance(self, one: int, other: int) -> int:
        """The number of different character trigrams in the lines that only one of the two texts has."""
        if one == other:
            return 0
        pair = (one, other) if one < other else (other, one)
        if pair not in self._known:
            self._known[pair] = self._measured(*pair)
        return self._known[pair]

    def _measured(self, one: int, other: int) -> int:
        left, right = self._lines[one], self._lines[other]
        mine, theirs = _grams(left - right), _grams(right - left)
        return (mine - theirs).total() + (theirs - mine).total()


def _grams(lines: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for line, times in lines.items():
        text = f"\n{line}\n"
        for at in range(len(text) - GRAM + 1):
            found[text[at : at + GRAM]] += times
    return found


def odd_text_out(texts: Sequence[int]) -> list[str]:
    """The most common text of the file is "success", any other "failed".

    It needs three rows, a repeated text and a second text.

    >>> odd_text_out([1, 1, 2])
    ['success', 'success', 'failed']
    """
    times = Counter(texts)
    most = max(times.values(), default=0)
    if len(texts) < 3 or most == 1 or len(times) == 1:
        return [""] * len(texts)
    return ["success" if times[text] == most else "failed" for text in texts]


def unique_text(texts: Sequence[int]) -> list[str]:
    """A text that occurs once is "failed", a repeated one "success"."""
    times = Counter(texts)
    return ["failed" if times[text] == 1 else "success" for text in texts]


def medoid(texts: Sequence[int], versions: VersionDistances) -> list[str]:
    """The text with the least total distance to all rows of the file is "success", any other "failed".

    If all texts are equally far apart, as two always are, there is no answer.
    """
    times = Counter(texts)
    away = {
        text: sum(versions.distance(text, other) * count for other, count in times.items()) for text in times
    }
    least = min(away.values(), default=0)
    if all(each == least for each in away.values()):
        return [""] * len(texts)
    return ["success" if away[text] == least else "failed" for text in texts]


def comparison_baselines(versions: VersionDistances) -> dict[str, TextReader]:
    """All comparison baselines by name."""
    return {
        "odd text out": odd_text_out,
        "medoid of the versions": lambda texts: medoid(texts, versions),
        "text unique in the set": unique_text,
    }


LEVEL = 0.01
_LEAST = 6  # minimum number of places; below it no table is significant
_TOKEN = re.compile(r"\w+|[-+*/%=<>!&|^:]+|\S")


class StyledText(NamedTuple):
    """A text and its label. `cluster`: the test whose version it is; `source`: the file it was made from."""

    label: str
    text: str
    cluster: str
    source: str


class LabelPattern(Record, frozen=True, kw_only=True):
    """One or two tokens that occur with a label.

    Counts are of sources or, if `paired`, of clusters in which only the versions of one label have the
    pattern. `p` is adjusted for all tested patterns.
    """

    pattern: str
    failed: int
    success: int
    paired: bool
    p: float


def label_patterns(texts: Iterable[StyledText], *, level: float = LEVEL) -> list[LabelPattern]:
    """Every token pattern that separates the labels better than chance, the clearest first.

    There are two exact tests for each pattern, with all p values adjusted together (Holm). Between files: is
    it in files of one label more often? Each file counts once, by one of its texts selected by key, since its
    rows share nearly all tokens. Within tests: which versions of one test have it, if there are versions of
    both labels? Each test counts once. Patterns in fewer than 6 places are skipped.
    """
    rows = list(texts)
    found = [*_between(rows), *_within(rows)]
    adjusted = holm([each.p for each in found])
    both = zip(found, adjusted, strict=True)
    significant = [msgspec.structs.replace(each, p=p) for each, p in both if p < level]
    return sorted(significant, key=lambda each: (each.p, each.pattern, each.paired))


def pattern_warnings(found: Sequence[object]) -> list[str]:
    """A sentence if there are such patterns."""
    count = f"{len(found)} pattern{'s' if len(found) > 1 else ''}"
    warning = f"{count} of tokens in the focal file tell labels better than chance: see the card"
    return [warning] if found else []


@lru_cache(maxsize=32)  # a long file has ten thousand patterns
def patterns_of(text: str) -> frozenset[str]:
    """The tokens of a text, and each two consecutive ones; operators are whole tokens."""
    tokens = _TOKEN.findall(text)
    return frozenset(tokens) | {f"{one} {other}" for one, other in pairwise(tokens)}


def _between(rows: Sequence[StyledText]) -> Iterator[LabelPattern]:
    drawn: dict[str, StyledText] = {}
    for row in sorted(rows, key=lambda row: content_key(row.source, row.cluster, row.text)):
        drawn.setdefault(row.source, row)
    labels = Counter(row.label for row in drawn.values())
    counts: dict[str, Counter[str]] = {FAILED: Counter(), SUCCESS: Counter()}
    for row in drawn.values():
        counts[row.label].update(patterns_of(row.text))
    for pattern in sorted(counts[FAILED].keys() | counts[SUCCESS].keys()):
        failed, success = counts[FAILED][pattern], counts[SUCCESS][pattern]
        if _LEAST <= failed + success <= len(drawn) - _LEAST:
            table = {
                (True, True): failed,
                (True, False): success,
                (False, True): labels[FAILED] - failed,
                (False, False): labels[SUCCESS] - success,
            }
            yield LabelPattern(
                pattern=pattern, failed=failed, success=success, paired=False, p=fisher_exact(table)
            )


def _within(rows: Sequence[StyledText]) -> Iterator[LabelPattern]:
    clusters: dict[str, list[StyledText]] = defaultdict(list)
    for row in rows:
        clusters[row.cluster].append(row)
    only: dict[str, Counter[str]] = {FAILED: Counter(), SUCCESS: Counter()}
    for versions in clusters.values():
        for label, patterns in _differing(versions).items():
            only[label].update(patterns)
    for pattern in sorted(only[FAILED].keys() | only[SUCCESS].keys()):
        failed, success = only[FAILED][pattern], only[SUCCESS][pattern]
        if failed + success >= _LEAST:
            p = mcnemar(failed, success)
            yield LabelPattern(pattern=pattern, failed=failed, success=success, paired=True, p=p)


def _differing(versions: Sequence[StyledText]) -> dict[str, set[str]]:
    """The patterns on one side only in most pairs of differently labelled versions, by that side."""
    sides = {label: [row for row in versions if row.label == label] for label in (FAILED, SUCCESS)}
    leaning: Counter[str] = Counter()
    for one, other in product(sides[FAILED], sides[SUCCESS]):
        mine, theirs = patterns_of(one.text), patterns_of(other.text)
        leaning.update(mine - theirs)
        leaning.subtract(theirs - mine)
    return {
        FAILED: {pattern for pattern, count in leaning.items() if count > 0},
        SUCCESS: {pattern for pattern, count in leaning.items() if count < 0},
    }

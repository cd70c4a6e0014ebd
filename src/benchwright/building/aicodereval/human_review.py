"""Human review: sheets to sign for each entry, and expected values filled in from canonical solutions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.building.aicodereval.admission import SPLIT_OF, Tier
from benchwright.building.aicodereval.collect_drafts import StoredDrafts
from benchwright.building.aicodereval.draft_execution import environment_links
from benchwright.building.aicodereval.draft_records import AdmittedEntry, Draft, code_of_entry, prompt_of
from benchwright.building.aicodereval.drafted_cases import CPU_S, expected_of
from benchwright.cases.reading import calls_of, files_of
from benchwright.contracts import CallCase, Decision, ExpectedResult, RepliesSpec
from benchwright.display.escape import escaped_path, spreadsheet_cell
from benchwright.errors import DataError
from benchwright.executing.trials import Trial, TrialResult, Trials
from benchwright.records import Drop
from benchwright.sandbox.codec import encode
from benchwright.store.files import locate
from benchwright.store.writing import replacing
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, entry_point_of, faults_in, program_of

SHEET = "review.csv"  # in the folder of a build
GATE = "aicodereval.review"
_VERDICTS = ("accept", "reject")
_COLUMNS = (
    "task_id",
    "revision",
    "prompt",
    "solution",
    "cases",
    "questions",
    "verdict",
    "reviewer",
    "comment",
)
_FILLED_IN = ("verdict", "reviewer", "comment")  # by people
_LONGEST = 30_000  # characters of a cell: a spreadsheet's holds 32,767
_WIDE = 0.05  # tolerance from which a review asks about it
_USUAL = {"0", "1", "2", "-1", "10", "100", "0.0", "1.0", "0.5"}


class Review(NamedTuple):
    """The verdict of a person on one entry."""

    verdict: str
    reviewer: str
    comment: str


Key = tuple[str, str]  # task and revision
Reviews = Mapping[Key, Review]


class SignedRow(NamedTuple):
    """A signed row of a sheet."""

    key: Key
    cells: dict[str, str]
    review: Review


def sheet(entries: Iterable[AdmittedEntry], former: Iterable[SignedRow] = ()) -> str:
    """The sheet as CSV, with a row for each entry that would be certified.

    Signed rows of an earlier sheet are kept: at the same revision of an entry, else at the end.
    """
    target, signed = io.StringIO(), {each.key: each.cells for each in former}
    writer = csv.DictWriter(target, _COLUMNS, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writeheader()
    for each in entries:
        if each.entry.status == Tier.certified:
            cells = {name: spreadsheet_cell(text[:_LONGEST]) for name, text in _row(each).items()}
            known = signed.pop((each.unit, each.revision), {})
            writer.writerow({**cells, **{name: known.get(name, "") for name in _FILLED_IN}})
    writer.writerows(signed.values())
    return target.getvalue()


def _row(each: AdmittedEntry) -> dict[str, str]:
    return {
        "task_id": each.unit,
        "revision": each.revision,
        "prompt": prompt_of(each.entry),
        "solution": program_of(each.entry),
        "cases": msgspec.json.format(msgspec.json.encode(each.entry.cases), indent=1).decode(),
        "questions": "\n".join(questions(each.entry)),
    }


def questions(entry: BenchmarkEntry) -> Iterator[str]:
    """The questions of a review: those about every entry, then those about this one."""
    yield "Does the solution do what the prompt says, for every case?"
    yield "Could another reading of the prompt fail these tests?"
    for case in entry.cases:
        widest = max(case.expected.abs_tol, case.expected.rel_tol)
        if widest >= _WIDE:
            yield f"Case {case.name}: is a tolerance of {widest:g} meant?"
        if case.expected.properties and case.expected.value is None:
            names = ", ".join(case.expected.properties)
            yield f"Case {case.name}: do the properties {names} refuse wrong results?"
    prompt = prompt_of(entry)
    numbers = sorted({*_numbers(entry)} - _USUAL - set(re.findall(r"-?\d+(?:\.\d+)?", prompt)))
    if numbers:
        yield f"The prompt does not name {', '.join(numbers)}, which the solution uses: can a reader know?"


def _numbers(entry: BenchmarkEntry) -> Iterator[str]:
    return (repr(value) for value in code_of_entry(entry).numbers())


def read_reviews(paths: Iterable[str | Path]) -> dict[Key, Review]:
    """The signed rows of sheets. Raises DataError for an invalid sheet.

    An entry with several reviewers is accepted if all of them accept it.
    """
    found: dict[Key, Review] = {}
    for path in paths:
        for row in signed_rows(path):
            known = found.get(row.key)
            found[row.key] = row.review if known is None else _both(known, row.review)
    return found


def _both(one: Review, other: Review) -> Review:
    if one.verdict != other.verdict:
        return min(one, other, key=lambda each: each.verdict == "accept")
    reviewers = ", ".join(dict.fromkeys([one.reviewer, other.reviewer]))
    return Review(one.verdict, reviewers, "; ".join(filter(None, [one.comment, other.comment])))


def signed_rows(path: str | Path) -> list[SignedRow]:
    """The rows of a sheet that have a verdict. Raises DataError for an invalid row."""
    place = locate(path)
    try:
        text = place.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "save the sheet as CSV in UTF-8"
        raise DataError(
            f"the sheet is not UTF-8: {error.reason}", path=escaped_path(place), hint=hint
        ) from None
    header = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    missing = {"task_id", "revision", "verdict", "reviewer"} - set(reader.fieldnames or ())
    if missing:
        raise DataError(
            f"not a review sheet; missing columns: {', '.join(sorted(missing))}",
            path=escaped_path(place),
            hint=f"take the {SHEET} of a build, and fill in verdict and reviewer",
        )
    found = []
    for row in reader:
        cells = {str(name): cell or "" for name, cell in row.items() if isinstance(cell, str | None)}
        if review := _review(cells, escaped_path(place), reader.line_num):
            found.append(SignedRow((_plain(cells["task_id"]), _plain(cells["revision"])), cells, review))
    return found


def _plain(cell: str) -> str:
    """The text of a cell without the leading quote, which prevents spreadsheets from executing it."""
    return cell.strip().lstrip("'")


def _review(row: Mapping[str, str], path: str, line: int) -> Review | None:
    verdict = row["verdict"].strip().lower()
    if not verdict:
        return None
    reviewer = row["reviewer"].strip()
    if verdict not in _VERDICTS:
        raise DataError(
            f"{verdict[:40]!r} is not a verdict",
            path=path,
            line=line,
            field="verdict",
            hint="write accept or reject",
        )
    if not reviewer:
        raise DataError(
            "the row is not signed",
            path=path,
            line=line,
            field="reviewer",
            hint="fill in the name of the reviewer",
        )
    return Review(verdict, reviewer, row.get("comment", "").strip())


def apply_reviews(entries: Iterable[AdmittedEntry], reviews: Reviews) -> Iterator[AdmittedEntry]:
    """The entries; an entry that would be certified stays so only if a review accepts it."""
    for each in entries:
        if each.entry.status != Tier.certified:
            yield each
            continue
        review = reviews.get((each.unit, each.revision))
        yield _signed(each, review) if review and review.verdict == "accept" else _unsigned(each, review)


def _signed(each: AdmittedEntry, review: Review) -> AdmittedEntry:
    decision = Decision(evidence={"reviewer": review.reviewer, "comment": review.comment})
    return msgspec.structs.replace(each, decisions={**each.decisions, GATE: decision})


def _unsigned(each: AdmittedEntry, review: Review | None) -> AdmittedEntry:
    reason = "review_rejects" if review else "not_reviewed"
    detail = (
        f"{review.reviewer}: {review.comment}"[:300]
        if review
        else "no signed row of a review sheet accepts it"
    )
    return msgspec.structs.replace(
        each,
        entry=msgspec.structs.replace(each.entry, status=str(Tier.unreviewed)),
        split=SPLIT_OF[Tier.unreviewed],
        decisions={**each.decisions, GATE: Decision(reason=reason, detail=detail)},
    )


class FilledCase(NamedTuple):
    """The value filled in for one case, or the reason why there is none."""

    task: str
    case: str
    expected: ExpectedResult | None
    why: str = ""


def fill_expected(drafts: Sequence[str], target: Path, trials: Trials) -> tuple[list[FilledCase], list[Drop]]:
    """Write the drafts with a value for each case without one; return the filled cases, and drops."""
    rows = [
        item for each in drafts for item in StoredDrafts(each).collect(target.parent, lambda _: None).items
    ]
    drops = [each for each in rows if isinstance(each, Drop)]
    found = [each.record for each in rows if not isinstance(each, Drop)]
    drops += [fault for each in found if (fault := _fault(each)) is not None]
    faulty = {each.unit for each in drops}
    waiting = [each for each in found if each.unit not in faulty and _open(each)]
    ends = dict(
        zip(
            (each.unit for each in waiting),
            trials.run([*map(_trial, waiting)], name="expected values"),
            strict=True,
        )
    )
    filled: list[FilledCase] = []
    with replacing(target) as file:
        for each in found:
            done, cases = _filled(each, ends[each.unit]) if each.unit in ends else (each, [])
            filled += cases
            file.write(msgspec.json.encode(done) + b"\n")
    return filled, drops


def _fault(draft: Draft) -> Drop | None:
    """The first reason why the solution cannot be called."""
    fault = next((each for each in faults_in(draft.entry) if each.code not in ("no_cases",)), None)
    return (
        Drop(unit=draft.unit, reason=fault.code, detail=f"{fault.field}: {fault.message}; {fault.hint}")
        if fault
        else None
    )


def _open(draft: Draft) -> list[CallCase]:
    """The cases without an expected value."""
    return [case for case in draft.entry.cases if case.expected == ExpectedResult()]


def _trial(draft: Draft) -> Trial:
    cases = _open(draft)
    spec = RepliesSpec(
        entry_point=entry_point_of(draft.entry),
        environment=draft.entry.environment,
        cpu_limit_s=CPU_S,
        calls=encode([calls_of(case)[0] for case in cases]),
        count=len(cases),
        files=files_of(cases),
        links=environment_links(draft.entry),
    )
    return Trial(program_of(draft.entry), spec)


def _filled(draft: Draft, end: TrialResult) -> tuple[Draft, list[FilledCase]]:
    replies = msgspec.msgpack.decode(end.payload, type=list[tuple[str, bytes]]) if end.payload else []
    given: dict[str, ExpectedResult | str] = {}
    for number, case in enumerate(_open(draft)):
        reply = replies[number] if number < len(replies) else ("ended", end.detail.encode())
        given[case.name] = expected_of(case.level, reply)
    cases = [_with(case, given.get(case.name)) for case in draft.entry.cases]
    entry = msgspec.structs.replace(draft.entry, cases=cases)
    return msgspec.structs.replace(draft, entry=entry), [*_filled_cases(draft.unit, given)]


def _with(case: CallCase, expected: ExpectedResult | str | None) -> CallCase:
    return msgspec.structs.replace(case, expected=expected) if isinstance(expected, ExpectedResult) else case


def _filled_cases(unit: str, given: dict[str, ExpectedResult | str]) -> Iterator[FilledCase]:
    for name, expected in given.items():
        if isinstance(expected, ExpectedResult):
            yield FilledCase(unit, name, expected)
        else:
            yield FilledCase(unit, name, None, expected)


def lines(filled: Iterable[FilledCase]) -> Iterator[str]:
    """One line for each case, for review."""
    for each in filled:
        if each.expected is None:
            yield f"{each.task} {each.case}: not filled in: {each.why}"
        elif each.expected.raises:
            yield f"{each.task} {each.case}: raises {each.expected.raises}"
        else:
            yield f"{each.task} {each.case}: gives {msgspec.json.encode(each.expected.value).decode()[:200]}"

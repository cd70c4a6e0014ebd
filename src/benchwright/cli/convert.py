"""`benchwright convert`: rows of other tracks, and collected records, in the formats of tracks and tools."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from benchwright.cli.arguments import file_out, json_option, not_empty, not_empty_each, print_json
from benchwright.cli.shell_completion import files
from benchwright.cli.terminal import console
from benchwright.display.escape import escaped, escaped_path, markup
from benchwright.display.wording import counted
from benchwright.errors import DataError, UsageError
from benchwright.records import Record, Task
from benchwright.store.data_files import data_hash, is_hub
from benchwright.store.files import locate
from benchwright.store.lenient_json import JsonRepair
from benchwright.store.named_data import is_name
from benchwright.store.writing import STDOUT, make_parents, write_json, writing
from benchwright.tracks.collected import ianvs_records
from benchwright.tracks.collected.conversion import (
    ConversionListener,
    converted_tracks,
    record_formats,
    records_of,
    rows_of,
)
from benchwright.tracks.collected.records import IANVS, FieldRenaming, ImportOptions, Pseudonyms
from benchwright.tracks.comments.rows import known_lang
from benchwright.tracks.functions.humaneval import TRACK, ConversionFailure, ConvertedTask, convert

ROWS = "ruhumaneval"
TO = (ROWS, *(track.name for track in converted_tracks()), *record_formats())


@click.command(context_settings={"show_default": True})
@click.option(
    "--data",
    required=True,
    callback=not_empty,
    shell_complete=files,
    help="HumanEval rows; with --to, records of a comment or issue test set, or rows of these tracks.",
)
@file_out("The JSONL file to write; - is standard output.")
@click.option(
    "--to",
    type=click.Choice(TO),
    default=ROWS,
    help="Output: rows of a track, or records in the format of another tool.",
)
@click.option(
    "--fields",
    multiple=True,
    metavar="MINE=OURS",
    callback=not_empty_each,
    help="Map a field of the records to a field of Benchwright, such as solution=answers; repeatable.",
)
@click.option("--lang", default="", metavar="NAME", help="Language of code without one, such as Java.")
@click.option("--strict", is_flag=True, help="Refuse records with wrong commas instead of repairing them.")
@click.option("--keep-authors", is_flag=True, help="Keep names of people instead of pseudonyms.")
@json_option
def command(data: str, out: str, to: str, as_json: bool, **choices: Any) -> int:
    """Convert HumanEval rows into ruHumanEval rows, or records of smart-coding test sets into rows and back.

    A HumanEval row whose test is a program (a loop, a tolerance, a random input) cannot be converted into
    arguments and results; the command lists it with the reason.

    Records of comments (code with annotations, or with one comment) and of issues (a question with answer_1
    to answer_n) become rows of their track. The input is JSON, JSON Lines, or concatenated objects. Each
    repaired comma and each refused record is listed with its line.

    \b
    benchwright convert --data HumanEval.jsonl.gz --out rows.jsonl
    benchwright convert --data HumanEval.jsonl.gz --out - | gzip > rows.jsonl.gz
    benchwright convert --data comments.json --to smartcoding-comments --out rows.jsonl
    benchwright convert --data issues.json --to smartcoding-issues --fields title=question --out rows.jsonl
    benchwright convert --data rows.jsonl --to ianvs --out ianvs/data.jsonl
    """
    if as_json and out == STDOUT:
        raise UsageError("--json and --out - both write to standard output", hint="--out rows.jsonl --json")
    if to != ROWS:
        return convert_collected(ConversionOptions(data=data, out=out, to=to, as_json=as_json, **choices))
    if given := [name for name, value in choices.items() if value]:
        name = given[0].replace("_", "-")
        raise UsageError(f"--{name} does not apply to HumanEval rows", hint=f"add --to {TO[1]}, or omit it")
    _convert_humaneval(data, out, as_json=as_json)
    return 0


def _convert_humaneval(data: str, out: str, *, as_json: bool) -> None:
    tasks: list[Task] = list(TRACK.load(data))
    results = list(convert(tasks))
    rows = [result.row for result in results if isinstance(result, ConvertedTask)]
    failures = [result for result in results if isinstance(result, ConversionFailure)]
    with writing(out) as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    if as_json:
        print_json({"written": len(rows), "out": escaped_path(out), "not_converted": failures})
    else:
        _print(console(), failures, f"{len(rows)} of {counted(len(tasks), 'row')} written to {_place(out)}")


def _print(target: Console, failures: list[ConversionFailure], summary: str) -> None:
    for result in failures:
        line = f"{result.task_id}, line {result.line} of its test: {result.reason}: {result.detail}"
        target.print(markup(line), soft_wrap=True)
    reasons = Counter(str(result.reason) for result in failures).most_common()
    reason_list = ", ".join(f"{count} {reason}" for reason, count in reasons)
    target.print(summary + (f"; left out: {reason_list}" if failures else ""), soft_wrap=True)


def _place(out: str) -> str:
    return "standard output" if out == STDOUT else markup(out)


class ConversionOptions(Record, frozen=True, kw_only=True):
    """Options of a conversion."""

    data: str
    out: str
    to: str
    fields: tuple[str, ...] = ()
    lang: str = ""
    strict: bool = False
    keep_authors: bool = False
    as_json: bool = False


class _ConversionReport:
    """Messages about records: collected for --json, else printed immediately."""

    def __init__(self, target: Console | None) -> None:
        self._target = target
        self.repairs: list[JsonRepair] = []
        self.refused: list[DataError] = []
        self.notes: list[str] = []

    def repair(self, repair: JsonRepair) -> None:
        self.repairs.append(repair)
        self._print(str(repair))

    def refuse(self, error: DataError) -> None:
        self.refused.append(error)
        self._print(f"refused: {error}")

    def note(self, note: str) -> None:
        self.notes.append(note)
        self._print(f"note: {note}")

    def _print(self, text: str) -> None:
        if self._target is not None:
            self._target.print(markup(text), soft_wrap=True)


def convert_collected(options: ConversionOptions) -> int:
    """Write the converted records and report the refused ones; return 1 if any was refused."""
    data, dataset = ianvs_records.data_and_metadata(options.data)
    if (
        options.out != STDOUT
        and not (is_hub(data) or is_name(data))
        and Path(options.out).resolve() == locate(data).resolve()
    ):
        raise UsageError("--out is the input file", hint="choose another name with --out")
    pseudonyms = None if options.keep_authors else Pseudonyms(lambda: data_hash(data))
    importing = ImportOptions(FieldRenaming(options.fields), pseudonyms, known_lang(options.lang), dataset)
    report = _ConversionReport(None if options.as_json else console())
    written = _write(options, data, importing, report)
    if options.as_json:
        print_json(_document(options, report, written))
    else:
        console().print(_summary(options, report, written), soft_wrap=True)
    return 1 if report.refused else 0


def _write(options: ConversionOptions, data: str, importing: ImportOptions, report: _ConversionReport) -> int:
    """Write the records and return their number. For Ianvs's data.jsonl, also write metadata.json."""
    convert = records_of if options.to in record_formats() else rows_of
    listener = ConversionListener(report.repair, report.refuse, report.note)
    written, metadata = 0, ianvs_records.Metadata()
    if options.out != STDOUT:
        make_parents(Path(options.out))
    with writing(options.out) as file:
        for converted in convert(data, options.to, importing, listener, strict=options.strict):
            file.write(msgspec.json.encode(converted.document) + b"\n")
            metadata.add(converted.track, converted.row)
            written += 1
    if written and options.to == IANVS and Path(options.out).name == ianvs_records.DATA:
        write_json(Path(options.out).with_name(ianvs_records.METADATA), metadata.document())
    return written


def _document(options: ConversionOptions, report: _ConversionReport, written: int) -> dict[str, Any]:
    refused = [
        {"line": error.line, "field": error.field, "task_id": error.task_id, "message": escaped(str(error))}
        for error in report.refused
    ]
    return {
        "written": written,
        "out": escaped_path(options.out),
        "repairs": report.repairs,
        "refused": refused,
        "notes": report.notes,
    }


def _summary(options: ConversionOptions, report: _ConversionReport, written: int) -> str:
    place = "standard output" if options.out == STDOUT else options.out
    parts = [f"{written} of {counted(written + len(report.refused), 'record')} written to {place}"]
    counts = {
        "repaired comma": len(report.repairs),
        "refused record": len(report.refused),
        "note": len(report.notes),
    }
    parts += [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    return markup("; ".join(parts))

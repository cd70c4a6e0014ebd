"""`benchwright convert --to`: rows of tracks with a converter, and collected records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from benchwright.cli.arguments import print_json
from benchwright.cli.terminal import console
from benchwright.display.escape import escaped, escaped_path, markup
from benchwright.errors import DataError, UsageError
from benchwright.records import Record
from benchwright.store.files import locate
from benchwright.store.mending import Repair
from benchwright.store.named_data import is_name
from benchwright.store.sources import data_hash, is_hub
from benchwright.store.writing import STDOUT, make_parents, write_json, writing
from benchwright.tracks.collected import ianvs
from benchwright.tracks.collected.converting import Heard, record_formats, records_of, rows_of
from benchwright.tracks.collected.fields import Renaming
from benchwright.tracks.collected.importing import IANVS, Importing
from benchwright.tracks.collected.pseudonyms import Pseudonyms
from benchwright.tracks.comments.collected import known_lang


class Conversion(Record, frozen=True, kw_only=True):
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
        self.repairs: list[Repair] = []
        self.refused: list[DataError] = []
        self.notes: list[str] = []

    def repair(self, repair: Repair) -> None:
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


def convert_collected(options: Conversion) -> int:
    """Write the converted records and report the refused ones; return 1 if any was refused."""
    data, dataset = ianvs.data_and_metadata(options.data)
    if (
        options.out != STDOUT
        and not (is_hub(data) or is_name(data))
        and Path(options.out).resolve() == locate(data).resolve()
    ):
        raise UsageError("--out is the input file", hint="choose another name with --out")
    pseudonyms = None if options.keep_authors else Pseudonyms(lambda: data_hash(data))
    importing = Importing(Renaming(options.fields), pseudonyms, known_lang(options.lang), dataset)
    report = _ConversionReport(None if options.as_json else console())
    written = _write(options, data, importing, report)
    if options.as_json:
        print_json(_document(options, report, written))
    else:
        console().print(_summary(options, report, written), soft_wrap=True)
    return 1 if report.refused else 0


def _write(options: Conversion, data: str, importing: Importing, report: _ConversionReport) -> int:
    """Write the records and return their number. For Ianvs's data.jsonl, also write metadata.json."""
    convert = records_of if options.to in record_formats() else rows_of
    listener = Heard(report.repair, report.refuse, report.note)
    written, metadata = 0, ianvs.Metadata()
    if options.out != STDOUT:
        make_parents(Path(options.out))
    with writing(options.out) as file:
        for converted in convert(data, options.to, importing, listener, strict=options.strict):
            file.write(msgspec.json.encode(converted.document) + b"\n")
            metadata.add(converted.track, converted.row)
            written += 1
    if written and options.to == IANVS and Path(options.out).name == ianvs.DATA:
        write_json(Path(options.out).with_name(ianvs.METADATA), metadata.document())
    return written


def _document(options: Conversion, report: _ConversionReport, written: int) -> dict[str, Any]:
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


def _summary(options: Conversion, report: _ConversionReport, written: int) -> str:
    place = "standard output" if options.out == STDOUT else options.out
    parts = [f"{written} of {written + len(report.refused)} records written to {place}"]
    counts = {
        "repaired comma": len(report.repairs),
        "refused record": len(report.refused),
        "note": len(report.notes),
    }
    parts += [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    return markup("; ".join(parts))

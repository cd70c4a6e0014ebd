"""What `benchwright convert --to` does with rows of the smart-coding tracks and with records of test sets."""

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
    """What is to be converted, and how."""

    data: str
    out: str
    to: str
    fields: tuple[str, ...] = ()
    lang: str = ""
    strict: bool = False
    keep_authors: bool = False
    as_json: bool = False


class _Told:
    """What was said of the records: listed for --json, else printed as it comes."""

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


def convert_collected(wanted: Conversion) -> int:
    """Write the records that can be converted and name all others; 1 where there was one of those."""
    data, dataset = ianvs.data_and_metadata(wanted.data)
    if (
        wanted.out != STDOUT
        and not (is_hub(data) or is_name(data))
        and Path(wanted.out).resolve() == locate(data).resolve()
    ):
        raise UsageError("--out is the data set itself", hint="choose another name with --out")
    pseudonyms = None if wanted.keep_authors else Pseudonyms(lambda: data_hash(data))
    importing = Importing(Renaming(wanted.fields), pseudonyms, known_lang(wanted.lang), dataset)
    told = _Told(None if wanted.as_json else console())
    written = _write(wanted, data, importing, told)
    if wanted.as_json:
        print_json(_document(wanted, told, written))
    else:
        console().print(_summary(wanted, told, written), soft_wrap=True)
    return 1 if told.refused else 0


def _write(wanted: Conversion, data: str, importing: Importing, told: _Told) -> int:
    """How many records were written. What is common to those of Ianvs's data.jsonl is in a file beside it."""
    make = records_of if wanted.to in record_formats() else rows_of
    heard = Heard(told.repair, told.refuse, told.note)
    written, metadata = 0, ianvs.Metadata()
    if wanted.out != STDOUT:
        make_parents(Path(wanted.out))
    with writing(wanted.out) as file:
        for made in make(data, wanted.to, importing, heard, strict=wanted.strict):
            file.write(msgspec.json.encode(made.document) + b"\n")
            metadata.add(made.track, made.row)
            written += 1
    if written and wanted.to == IANVS and Path(wanted.out).name == ianvs.DATA:
        write_json(Path(wanted.out).with_name(ianvs.METADATA), metadata.document())
    return written


def _document(wanted: Conversion, told: _Told, written: int) -> dict[str, Any]:
    refused = [
        {"line": error.line, "field": error.field, "task_id": error.task_id, "message": escaped(str(error))}
        for error in told.refused
    ]
    return {
        "written": written,
        "out": escaped_path(wanted.out),
        "repairs": told.repairs,
        "refused": refused,
        "notes": told.notes,
    }


def _summary(wanted: Conversion, told: _Told, written: int) -> str:
    place = "standard output" if wanted.out == STDOUT else wanted.out
    parts = [f"{written} of {written + len(told.refused)} records written to {place}"]
    counts = {
        "repaired comma": len(told.repairs),
        "refused record": len(told.refused),
        "note": len(told.notes),
    }
    parts += [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    return markup("; ".join(parts))

"""The predictions of a case, one line for each item as soon as it is there.

A line is {"item": 0, "line": 1, "prediction": …, "seconds": …, "cpu_s": …, "peak_mb": …}: the item counted
from 0, its line in the data, wall and processor seconds of the call that made it, and the largest memory of
the case's processes so far. Where the reply tells them, `tokens` or `characters` and `first_token_s` follow;
where one call was for many items, `shared_by` says how many, and its seconds are divided by them. A value
that JSON cannot hold stands there as `shown`, to be read; it is asked for again when the case goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.child.costs import Spent
from benchwright.interop.ianvs.child.item_figures import ItemFigures
from benchwright.interop.ianvs.child.reply_sizes import reply_facts
from benchwright.store.durable import GrowingFile

_PLAIN = (str, int, float, bool, type(None))
_SHOWN = 500
_MAX_WALKED = 100_000


class Journal(GrowingFile):
    """The file of a case's predictions. `known` has those that an earlier process left, by item.

    `figures` has what this process's items took, None where an earlier one left some: then the file tells.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.shared = False  # whether predictions of an earlier process came of one call for many items
        self.known = dict(self._kept(path))
        self.figures = ItemFigures() if os.fstat(self._fd).st_size == 0 else None

    def restart(self) -> None:
        """Forget what is there."""
        os.ftruncate(self._fd, 0)
        self.known.clear()
        self.shared = False
        self.figures = ItemFigures()

    def add(
        self,
        item: int,
        line: int,
        prediction: Any,
        spent: Spent,
        *,
        replies: Sequence[Any] | None = None,
        shared_by: int = 1,
    ) -> None:
        """Write one prediction, and know it from now on.

        `replies` are the models' own where a prediction holds more, `shared_by` is the items of one call.
        """
        self.known[item] = prediction
        value = {"prediction": prediction} if _is_plain(prediction) else {"shown": repr(prediction)[:_SHOWN]}
        facts = {"seconds": round(spent.seconds, 6), "cpu_s": round(spent.cpu_s, 6)}
        row = {"item": item, "line": line, **value, **facts, "peak_mb": round(spent.peak_mb, 1)}
        row |= reply_facts(replies or [prediction])
        if shared_by > 1:
            row["shared_by"] = shared_by
        self.write(json.dumps(row).encode() + b"\n")
        if self.figures is not None:
            self.figures.add(row)

    def _kept(self, path: Path) -> Iterator[tuple[int, Any]]:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                    item = int(row["item"])
                    self.shared |= "shared_by" in row
                    if "prediction" in row:
                        yield item, row["prediction"]
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    hint = f"delete the line, or the file: rm {escaped_path(path)}"
                    what, place = f"no prediction: {error}", escaped_path(path)
                    raise DataError(what, path=place, line=number, hint=hint) from None


def _is_plain(value: Any) -> bool:
    """Whether JSON gives back exactly this."""
    if type(value) in _PLAIN:
        return True
    waiting, walked = [value], 0
    while waiting:
        each = waiting.pop()
        walked += 1
        if walked > _MAX_WALKED:
            return False
        if type(each) is list:
            waiting += each
        elif type(each) is dict:
            if not all(type(key) is str for key in each):
                return False
            waiting += each.values()
        elif type(each) not in _PLAIN:
            return False
    return True

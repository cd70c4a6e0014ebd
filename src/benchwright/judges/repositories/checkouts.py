"""Checkouts of one worker: read from the objects of a clone on first use, the last ones kept."""

from __future__ import annotations

from functools import lru_cache

from benchwright import registry
from benchwright.contracts import RepositorySpec, WrittenTestsSpec
from benchwright.errors import BenchwrightError, PrerequisiteError, install_command
from benchwright.records import Record

_KEPT = 4  # commits; answers to tasks of one repository usually follow each other


class Checkout(Record, frozen=True, kw_only=True):
    """The files of a commit, or why they are missing."""

    files: dict[str, bytes] = {}
    missing: str = ""

    def texts(self) -> dict[str, str]:
        """Return the files that are UTF-8 by path."""
        return _texts(self)


def checkout_of(spec: RepositorySpec | WrittenTestsSpec) -> Checkout:
    """Return the checkout of a task. An unusable clone is a reason, not an error."""
    if spec.missing:
        return Checkout(missing=spec.missing)
    return _read(spec.clone, spec.commit)


@lru_cache(maxsize=_KEPT)
def _read(clone: str, commit: str) -> Checkout:
    try:
        reader = registry.load(registry.CHECKOUTS)
    except ModuleNotFoundError as error:
        raise PrerequisiteError(
            f"reading repositories needs {error.name}", hint=install_command("build")
        ) from None
    try:
        return Checkout(files=reader(clone, commit))
    except PrerequisiteError:
        raise
    except BenchwrightError as error:
        return Checkout(missing=f"{clone}: {error.message}")


_last: list[tuple[Checkout, dict[str, str]]] = []


def _texts(checkout: Checkout) -> dict[str, str]:
    for known, texts in _last:
        if known is checkout:
            return texts
    found = {}
    for path, content in checkout.files.items():
        try:
            found[path] = content.decode()
        except UnicodeDecodeError:
            continue  # a suite's files are texts; a test that needs this one fails the dry run
    _last[:] = [(checkout, found), *_last[: _KEPT - 1]]
    return found

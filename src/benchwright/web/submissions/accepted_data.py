"""The data sets of a server: what it judges, by which rules, and what stays hidden.

[[data]]
name = "humaneval-hidden"
track = "humaneval"
path = "hidden.jsonl"            # relative to the file of rules
hidden = true                    # no byte of it leaves the server
public = ["public.jsonl"]        # the same tasks without tests, as submitters have them
cpu_s = 3.0
memory_mb = 1024
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from benchwright import registry
from benchwright.contracts import Track
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, UsageError
from benchwright.records import Record
from benchwright.sandbox.limits import Limits
from benchwright.store.data_files import data_hash
from benchwright.web.submissions.refusals import SubmissionRefusal

MAX_RULES = 1 << 20  # bytes of the file


class DataRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of the file of rules."""

    name: str
    track: str
    path: str
    hidden: bool = False
    public: list[str] = []
    profile: str = "strict"
    form: str | None = None
    cpu_s: float = Limits().cpu_s
    memory_mb: int = Limits().memory_mb


class _RulesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    data: list[DataRules] = []


class AcceptedData(Record, frozen=True, kw_only=True):
    """A data set that the server judges. `hashes` are those that a run may name as its data."""

    name: str
    track: str
    path: str
    hashes: list[str]
    hidden: bool = False
    profile: str = "strict"
    form: str | None = None
    limits: Limits = Limits()

    def check_identity(self, identity: Mapping[str, Any]) -> None:
        """Raise SubmissionRefusal for a run of other rules than the server's."""
        wanted: dict[str, Any] = {
            "track": self.track,
            "profile": self.profile,
            "form": self.form or "default",
        }
        for field, value in wanted.items():
            if identity.get(field) != value:
                message = (
                    f"`{field}` of the run is {_value_text(identity.get(field))}, here {_value_text(value)}"
                )
                raise SubmissionRefusal("other-rules", message)
        self._check_limits(identity.get("limits"))
        if present := next((each for each in ("weights", "prices") if each in identity), None):
            raise SubmissionRefusal("other-rules", f"the run has its own `{present}`")
        if part := next((each for each in ("tasks", "limit") if each in identity), None):
            raise SubmissionRefusal("part-of-data", f"the run has `{part}`: it is a part of the data set")
        if identity.get("judges"):
            raise SubmissionRefusal("not-judgeable", "the run was assessed by model judges")

    def _check_limits(self, given: object) -> None:
        """Compare values: a run may name its limits although they are the default ones."""
        try:
            is_equal = msgspec.convert(given, Limits) == self.limits
        except msgspec.ValidationError:
            is_equal = False
        if not is_equal:
            here = {"cpu_s": self.limits.cpu_s, "memory_mb": self.limits.memory_mb}
            raise SubmissionRefusal(
                "other-rules", f"`limits` of the run is {_value_text(given)}, here {_value_text(here)}"
            )


def _value_text(value: object) -> str:
    return escaped_name(msgspec.json.encode(value).decode(), 120)


def read_rules(path: Path) -> list[DataRules]:
    """The entries of a file of rules. Raises UsageError or DataError for an invalid one."""
    try:
        text = path.read_bytes()[: MAX_RULES + 1]
    except OSError as error:
        raise UsageError(
            f"{escaped_path(path)} cannot be read: {error.strerror}", hint=f"ls -l {quoted(path)}"
        ) from None
    if len(text) > MAX_RULES:
        raise DataError(
            f"larger than {MAX_RULES:,} bytes", path=escaped_path(path), hint="name the TOML file of --accept"
        )
    try:
        rules = msgspec.toml.decode(text, type=_RulesFile).data
    except (msgspec.MsgspecError, ValueError) as error:
        raise DataError(
            f"invalid rules: {error}",
            path=escaped_path(path),
            hint="write [[data]] with name, track, path",
        ) from None
    _check_names(rules, path)
    return rules


class DataCatalog:
    """The accepted data sets by name and by hash."""

    def __init__(self, accepted: Sequence[AcceptedData]) -> None:
        self._by_name = {each.name: each for each in accepted}
        self._hashed = {sha256: each for each in accepted for sha256 in each.hashes}

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Read a file of rules. Raises UsageError or DataError for an invalid one."""
        rules = read_rules(path)
        return cls([_accepted(each, path.parent) for each in rules])

    def __iter__(self) -> Iterator[AcceptedData]:
        return iter(self._by_name.values())

    def of_hash(self, sha256: object) -> AcceptedData:
        """The data set with this hash. Raises SubmissionRefusal for an unknown one."""
        found = self._hashed.get(sha256) if isinstance(sha256, str) else None
        if found is None:
            hash_text = escaped_name(str(sha256), 70)
            raise SubmissionRefusal("unknown-data", f"this server has no data set with the hash {hash_text}")
        return found

    def of_name(self, name: str) -> AcceptedData:
        """The data set of this name; the only one for an empty name. Raises SubmissionRefusal."""
        found = self._by_name.get(name)
        if found is None and not name and len(self._by_name) == 1:
            (found,) = self._by_name.values()
        if found is None:
            names = ", ".join(map(escaped_name, self._by_name)) or "none"
            message = f"no data set {escaped_name(name, 100)!r}" if name else "the data set is not named"
            raise SubmissionRefusal("unknown-data", f"{message}; this server has {names}")
        return found


def _check_names(rules: Sequence[DataRules], path: Path) -> None:
    names = [each.name for each in rules]
    if not names or len(set(names)) != len(names) or not all(map(str.isprintable, names)) or not all(names):
        raise DataError(
            "each data set needs a unique name",
            path=escaped_path(path),
            field="name",
            hint='name = "mine"',
        )


def _accepted(rules: DataRules, folder: Path) -> AcceptedData:
    track: Track = registry.find("track", rules.track)
    source = str(folder / rules.path)
    return AcceptedData(
        name=rules.name,
        track=track.name,
        path=source,
        hashes=[data_hash(each) for each in (source, *(str(folder / name) for name in rules.public))],
        hidden=rules.hidden,
        profile=rules.profile,
        form=rules.form,
        limits=Limits(cpu_s=rules.cpu_s, memory_mb=rules.memory_mb),
    )

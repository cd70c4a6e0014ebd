"""Class files as the trusted side reads them, and a template given other names.

They are hostile: every number in them is checked by slicing. Layout: chapter 4 of the JVM specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

PRIVATE, ABSTRACT = 0x0002, 0x0400  # flags of members
LARGEST = 1 << 22  # of a class file; a larger one is not read


class ClassMember(NamedTuple):
    """A field or method: its flags, name and descriptor, and the content of its attribute `Code`."""

    flags: int
    name: str
    kind: str
    code: bytes


class ClassFile(NamedTuple):
    """What one class file says of itself. Names of classes are written with slashes."""

    name: str
    parents: tuple[str, ...]  # superclass and interfaces
    source: str  # the name of its source file, "" where it does not tell
    named: frozenset[bytes]  # names and descriptors of all that it refers to
    strings: frozenset[bytes]  # constants of type String
    fields: tuple[ClassMember, ...]
    methods: tuple[ClassMember, ...]


def read_class(data: bytes) -> ClassFile:
    """Raises ValueError for bytes that are no class file, or one over the limit."""
    if len(data) > LARGEST or data[:4] != b"\xca\xfe\xba\xbe":
        raise ValueError("not a class file of a size that is read")
    try:
        return _Reader(data).read()
    except (IndexError, KeyError) as error:
        raise ValueError(f"a class file that does not hold together: {error}") from None


def renamed(template: bytes, names: Mapping[str, str]) -> bytes:
    """A class file with some of its names replaced: each is an entry of the constant pool with its length
    before it, so a class can be given another name without a compiler."""
    parts, end = [template[:_POOL]], _POOL
    for _, start, end in _entries(template):
        entry = template[start:end]
        name = names.get(entry[3:].decode("ascii", "replace")) if entry[0] == _TEXT else None
        parts.append(entry if name is None else _entry(name.encode()))
    return b"".join([*parts, template[end:]])


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.texts: dict[int, bytes] = {}
        self.classes: dict[int, int] = {}  # index to that of the name
        self.strings: set[int] = set()
        self.types: set[int] = set()  # descriptors of fields and methods that are used
        self.at = self._pool()

    def read(self) -> ClassFile:
        self.at += 2
        name, superclass = self._class(self._next(2)), self._class(self._next(2))
        interfaces = [self._class(self._next(2)) for _ in range(self._next(2))]
        fields, methods = self._members(), self._members()
        source = self._source()
        strings = frozenset(self.texts[index] for index in self.strings)
        certain = {self.texts[index] for index in (*self.classes.values(), *self.types)}
        return ClassFile(
            name=name,
            parents=tuple(each for each in (superclass, *interfaces) if each),
            source=source,
            named=frozenset(certain | (set(self.texts.values()) - strings)),
            strings=strings,
            fields=fields,
            methods=methods,
        )

    def _pool(self) -> int:
        end = _POOL
        for index, start, end in _entries(self.data):
            tag = self.data[start]
            if tag == _TEXT:
                self.texts[index] = self.data[start + 3 : end]
            elif tag == _CLASS:
                self.classes[index] = self._number(start + 1, 2)
            elif tag == _STRING:
                self.strings.add(self._number(start + 1, 2))
            elif tag in (_NAME_AND_TYPE, _METHOD_TYPE):
                self.types.add(self._number(end - 2, 2))
        return end

    def _members(self) -> tuple[ClassMember, ...]:
        return tuple(self._member() for _ in range(self._next(2)))

    def _member(self) -> ClassMember:
        flags, name, kind = (self._next(2) for _ in range(3))
        code = b""
        for _ in range(self._next(2)):
            attribute, content = self._attribute()
            if attribute == b"Code":
                code = content[8 : 8 + int.from_bytes(content[4:8])]
        return ClassMember(flags, _text(self.texts[name]), _text(self.texts[kind]), code)

    def _source(self) -> str:
        for _ in range(self._next(2)):
            attribute, content = self._attribute()
            if attribute == b"SourceFile":
                return _text(self.texts[int.from_bytes(content[:2])])
        return ""

    def _attribute(self) -> tuple[bytes, bytes]:
        name, size = self.texts[self._next(2)], self._next(4)
        content = self.data[self.at : self.at + size]
        self.at += size
        return name, content

    def _class(self, index: int) -> str:
        return _text(self.texts[self.classes[index]]) if index else ""

    def _next(self, size: int) -> int:
        self.at += size
        return self._number(self.at - size, size)

    def _number(self, at: int, size: int) -> int:
        if at + size > len(self.data):
            raise ValueError("the class file ends early")
        return int.from_bytes(self.data[at : at + size])


def _entries(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Index, start and end of each entry of the constant pool: section 4.4."""
    at, index = _POOL, 1
    while index < int.from_bytes(data[8:_POOL]):
        tag = data[at]
        size = 3 + int.from_bytes(data[at + 1 : at + 3]) if tag == _TEXT else _SIZES[tag]
        yield index, at, at + size
        at, index = at + size, index + (2 if tag in _DOUBLE else 1)


def _entry(text: bytes) -> bytes:
    return bytes([_TEXT]) + len(text).to_bytes(2) + text


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


_POOL = 10  # where the constant pool begins, after its count
_TEXT, _CLASS, _STRING, _NAME_AND_TYPE, _METHOD_TYPE = 1, 7, 8, 12, 16
_DOUBLE = (5, 6)  # long and double take two places
_SIZES = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 5),
    **dict.fromkeys((5, 6), 9),
    **dict.fromkeys((7, 8, 16, 19, 20), 3),
    15: 4,
}

"""Parse class files on the trusted side, and rename the classes of a template.

Class files are hostile: every number in them is checked by slicing. Layout: chapter 4 of the JVM
specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

PRIVATE, ABSTRACT = 0x0002, 0x0400  # access flags of members
LARGEST = 1 << 22  # bytes of a class file; larger files are not read


class ClassMember(NamedTuple):
    """A field or method: flags, name, descriptor, and the content of its attribute `Code`.

    `marks`: descriptors of its runtime-visible annotations; None if one has a setting that is not a string,
    such as a `timeout`.
    """

    flags: int
    name: str
    kind: str
    code: bytes
    marks: tuple[str, ...] | None = ()


class ClassFile(NamedTuple):
    """The content of one class file. Names of classes contain slashes."""

    name: str
    parents: tuple[str, ...]  # superclass and interfaces
    source: str  # name of its source file, "" if absent
    named: frozenset[bytes]  # names and descriptors of everything that it refers to
    strings: frozenset[bytes]  # constants of type String
    fields: tuple[ClassMember, ...]
    methods: tuple[ClassMember, ...]
    flags: int = 0
    marks: tuple[str, ...] | None = ()  # as in ClassMember


def read_class(data: bytes) -> ClassFile:
    """Parse a class file. Raises ValueError for other bytes, or for a file over the limit."""
    if len(data) > LARGEST or data[:4] != b"\xca\xfe\xba\xbe":
        raise ValueError("not a class file of a size that is read")
    try:
        return _Reader(data).read()
    except (IndexError, KeyError) as error:
        raise ValueError(f"invalid class file: {error}") from None


def renamed(template: bytes, names: Mapping[str, str]) -> bytes:
    """Replace names in a class file: each is a constant pool entry with its length, so a class can be renamed
    without a compiler."""
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
        self.types: set[int] = set()  # descriptors of used fields and methods
        self.at = self._pool()

    def read(self) -> ClassFile:
        flags = self._next(2)
        name, superclass = self._class(self._next(2)), self._class(self._next(2))
        interfaces = [self._class(self._next(2)) for _ in range(self._next(2))]
        fields, methods = self._members(), self._members()
        source, marks = self._outer()
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
            flags=flags,
            marks=marks,
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
        code, marks = b"", _NO_MARKS
        for _ in range(self._next(2)):
            attribute, content = self._attribute()
            if attribute == b"Code":
                code = content[8 : 8 + int.from_bytes(content[4:8])]
            elif attribute == _MARKS:
                marks = self._marks(content)
        return ClassMember(flags, _text(self.texts[name]), _text(self.texts[kind]), code, marks)

    def _outer(self) -> tuple[str, tuple[str, ...] | None]:
        """Return the name of the source file, "" if absent, and the class's own annotations."""
        source, marks = "", _NO_MARKS
        for _ in range(self._next(2)):
            attribute, content = self._attribute()
            if attribute == b"SourceFile" and not source:
                source = _text(self.texts[int.from_bytes(content[:2])])
            elif attribute == _MARKS:
                marks = self._marks(content)
        return source, marks

    def _marks(self, content: bytes) -> tuple[str, ...] | None:
        """Return annotations (section 4.7.16): each has a type, a count of settings, and for each a name, a
        tag and a value."""
        found, at = list[str](), 2
        for _ in range(int.from_bytes(content[:2])):
            found.append(_text(self.texts[int.from_bytes(content[at : at + 2])]))
            settings, at = int.from_bytes(content[at + 2 : at + 4]), at + 4
            for _ in range(settings):
                if content[at + 2] != _TEXT_TAG:
                    return None
                at += 5
        return tuple(found)

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
    """Yield index, start and end of each constant pool entry (section 4.4)."""
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


_POOL = 10  # start of the constant pool, after its count
_TEXT, _CLASS, _STRING, _NAME_AND_TYPE, _METHOD_TYPE = 1, 7, 8, 12, 16
_MARKS = b"RuntimeVisibleAnnotations"
_TEXT_TAG = ord("s")  # string settings, such as a display name; a number may change the outcome
_NO_MARKS: tuple[str, ...] | None = ()
_DOUBLE = (5, 6)  # long and double take two entries
_SIZES = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 5),
    **dict.fromkeys((5, 6), 9),
    **dict.fromkeys((7, 8, 16, 19, 20), 3),
    15: 4,
}

"""Classes whose `equals` never looks at what it is compared with: they pass many an assert unearned.

Read from class files, which are hostile: every number in them is checked by slicing, and what does not fit
is no finding. Layout: sections 4.1 and 4.4 to 4.7 of the JVM specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchwright.judges.suites.java_sources import constant_pool

_EQUALS = (b"equals", b"(Ljava/lang/Object;)Z")
_ABSTRACT = 0x0400
_READS_ARGUMENT = (b"\x2b", b"\x19\x01")  # aload_1, aload 1
_LARGEST = 1 << 20


def careless_classes(classes: Mapping[str, bytes]) -> list[str]:
    """Names of the classes with such an `equals`."""
    return [
        path.removesuffix(".class").replace("/", ".") for path, data in classes.items() if _is_careless(data)
    ]


def _is_careless(data: bytes) -> bool:
    if _EQUALS[1] not in data or len(data) > _LARGEST:
        return False
    try:
        return any(code and not any(read in code for read in _READS_ARGUMENT) for code in _equals_codes(data))
    except (IndexError, KeyError, ValueError):
        return False


def _equals_codes(data: bytes) -> Iterator[bytes]:
    """The bytecode of `equals(Object)` where the class has it."""
    texts, at = constant_pool(data)
    at += 6
    at += 2 + 2 * _number(data, at, 2)  # interfaces
    _, at = _members(data, at)  # fields
    methods, _ = _members(data, at)
    for flags, name, kind, attributes in methods:
        if (texts.get(name), texts.get(kind)) == _EQUALS and not flags & _ABSTRACT:
            for attribute, content in attributes:
                if texts.get(attribute) == b"Code":
                    yield content[8 : 8 + _number(content, 4, 4)]


_Member = tuple[int, int, int, list[tuple[int, bytes]]]


def _members(data: bytes, at: int) -> tuple[list[_Member], int]:
    """Fields or methods: flags, index of the name, index of the type, attributes; and where they end."""
    count, at = _number(data, at, 2), at + 2
    members: list[_Member] = []
    for _ in range(count):
        flags, name, kind, many = (_number(data, at + step, 2) for step in (0, 2, 4, 6))
        at, attributes = at + 8, []
        for _ in range(many):
            size = _number(data, at + 2, 4)
            attributes.append((_number(data, at, 2), data[at + 6 : at + 6 + size]))
            at += 6 + size
        members.append((flags, name, kind, attributes))
    return members, at


def _number(data: bytes, at: int, size: int) -> int:
    if at + size > len(data):
        raise ValueError("the class file ends early")
    return int.from_bytes(data[at : at + size])

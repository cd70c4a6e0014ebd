"""Licence detection: the SPDX identifier of a text, by phrases that each licence has and no other.

This is not a library of all four hundred texts: data sets use only the licences below, and a text that is not
certainly one of them must not be taken for one. So a text with phrases of two licences has none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

PERMISSIVE = (
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unlicense",
    "Zlib",
)
MAX_TEXT = 200_000
FILE_NAMES = re.compile(r"(?i)^(un)?licen[cs]e([.-](txt|md|rst|mit|apache|bsd))?$|^copying(\.(txt|md))?$")

_BSD = "redistribution and use in source and binary forms"
_NAMES = "may be used to endorse or promote products"
# Identifier: phrases that must all occur, then phrases that must not.
_MARKS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "MIT": (
        (
            "permission is hereby granted, free of charge, to any person obtaining a copy",
            "the above copyright notice and this permission notice shall be included",
        ),
        ("shall be used for good", "except as contained in this notice"),
    ),
    "MIT-0": (
        ("permission is hereby granted, free of charge, to any person obtaining a copy", "as is"),
        ("the above copyright notice and this permission notice", "except as contained in this notice"),
    ),
    "BSD-3-Clause": ((_BSD, _NAMES), ("all advertising materials",)),
    "BSD-2-Clause": ((_BSD, "this list of conditions"), (_NAMES, "all advertising materials")),
    "Apache-2.0": (("apache license", "version 2.0, january 2004", "grant of patent license"), ()),
    "ISC": (
        ("permission to use, copy, modify, and/or distribute", "appear in all copies"),
        (),
    ),
    "0BSD": (
        ("permission to use, copy, modify, and/or distribute this software for any purpose",),
        ("appear in all copies",),
    ),
    "MPL-2.0": (("mozilla public license version 2.0", "covered software"), ()),
    "Unlicense": (("this is free and unencumbered software released into the public domain",), ()),
    "BSL-1.0": (("boost software license - version 1.0",), ()),
    "Zlib": (("the origin of this software must not be misrepresented", "altered source versions"), ()),
    # By their titles: the text of version 3 of the GPL also names the other two.
    "GPL": (("gnu general public license version", "terms and conditions"), ()),
    "LGPL": (("gnu lesser general public license version",), ()),
    "AGPL-3.0": (("gnu affero general public license version", "remote network interaction"), ()),
}
# Licences recognised by a notice, which some projects have instead of the text.
_NOTICES: Mapping[str, tuple[str, ...]] = {
    "Apache-2.0": (
        "licensed under the apache license, version 2.0",
        "you may not use this file except in compliance with the license",
        "limitations under the license",
    ),
}
# Further identifiers in model cards; these are refused by name instead of as unknown.
_CARD_IDS = (
    "AFL-3.0",
    "AGPL-3.0",
    "CC-BY-4.0",
    "CC-BY-NC-4.0",
    "CC-BY-NC-SA-4.0",
    "CC-BY-SA-4.0",
    "CC0-1.0",
    "GPL-2.0",
    "GPL-3.0",
    "LGPL-3.0",
)
_ISC_AND = re.compile(r"\bcopy, modify, and distribute\b")
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def spdx(text: str) -> str:
    """The licence of a text; empty for an unknown licence, or phrases of several."""
    plain = " ".join(re.sub(r"[*#>`_]|//", " ", text[:MAX_TEXT].lower()).split())
    plain = _ISC_AND.sub("copy, modify, and/or distribute", plain)  # both wordings are in use
    found = {name for name, marks in _MARKS.items() if _has(plain, *marks)}
    found |= {name for name, phrases in _NOTICES.items() if _has(plain, phrases, ())}
    return found.pop() if len(found) == 1 else ""


def spdx_of_pyproject(text: str) -> str:
    """The licence of a `pyproject.toml`; empty unless it is one plain identifier."""
    try:
        project: Any = tomllib.loads(text).get("project", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""
    stated = project.get("license", "") if isinstance(project, dict) else ""
    if isinstance(stated, dict):
        stated = stated.get("text", "")
    known = stated if isinstance(stated, str) and _SPDX.fullmatch(stated) else ""
    return known if known in {*PERMISSIVE, *_MARKS} else ""


def spdx_of_name(text: str) -> str:
    """The identifier for a licence name in a card or listing, in any case; empty for an unknown one.

    >>> spdx_of_name("apache-2.0")
    'Apache-2.0'
    """
    known = {name.lower(): name for name in (*PERMISSIVE, *_MARKS, *_CARD_IDS)}
    return known.get(text.strip().lower(), "")


def _has(plain: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> bool:
    return all(phrase in plain for phrase in wanted) and not any(phrase in plain for phrase in unwanted)

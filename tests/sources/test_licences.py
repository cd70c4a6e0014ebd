"""Licences: recognised by characteristic words, and unknown rather than guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.licences import FILE_NAMES, PERMISSIVE, spdx, spdx_of_name, spdx_of_pyproject
from kit.made_repositories import MIT

_BSD2 = """Copyright 2020 Nobody. Redistribution and use in source and binary forms, with or without
   modification, are permitted: 1. keep this list of conditions. 2. THE SOFTWARE IS PROVIDED "AS IS"."""
_BSD3 = _BSD2 + " Neither the name of the holder may be used to endorse or promote products."
_APACHE = """                                 Apache License
                           Version 2.0, January 2004
   3. Grant of Patent License. Subject to the terms"""
_ISC = "Permission to use, copy, modify, {} distribute this software for any purpose is granted, provided that the "
_MPL = "Mozilla Public License Version 2.0\n1.4. Covered Software means"
_GPL = (
    "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\nTERMS AND CONDITIONS\n7. Additional Permissions\n"
    "13. Use with the GNU Affero General Public License.\n use the GNU Lesser General Public License instead"
)
_KNOWN = {
    "MIT": MIT,
    "BSD-2-Clause": _BSD2,
    "BSD-3-Clause": _BSD3,
    "Apache-2.0": _APACHE,
    "ISC": _ISC.format("and/or") + "above copyright notice appear in all copies.",
    "0BSD": _ISC.format("and/or"),
    "MPL-2.0": _MPL,
    "Unlicense": "This is free and unencumbered software\nreleased into the public domain.",
    "GPL": _GPL,
    "LGPL": "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\nand the additional permissions below",
    "AGPL-3.0": "GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3\nTERMS AND CONDITIONS\n13. Remote Network Interaction;",
}


@pytest.mark.parametrize("name", _KNOWN)
def test_texts(name: str) -> None:
    """Each licence by its own words, for any line breaks."""
    assert (spdx(_KNOWN[name]), spdx(_KNOWN[name].replace(" ", "\n  "))) == (name, name)


def test_a_notice_in_place_of_the_text() -> None:
    """Some projects have only the notice that files should begin with."""
    notice = (
        'Licensed under the Apache License, Version 2.0 (the "License");\n'
        "you may not use this file except in compliance with the License.\n"
        "See it for the permissions and\nlimitations under the License.\n"
    )

    assert (spdx(notice), spdx(_APACHE + notice), spdx(notice + _GPL)) == ("Apache-2.0", "Apache-2.0", "")


def test_both_wordings_of_isc() -> None:
    """ "and" and "and/or" are both in use."""
    assert spdx(_ISC.format("and") + "notice appear in all copies") == "ISC"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All rights reserved.",
        "MIT",
        "Licensed under the Apache License, Version 2.0",
        MIT + _GPL,
        MIT.replace("THE SOFTWARE", "The Software shall be used for Good. THE SOFTWARE"),
        _BSD3 + " All advertising materials must",
    ],
)
def test_what_is_not_surely_known(text: str) -> None:
    """A name alone, a mixture, and a licence with one more condition are unknown."""
    assert spdx(text) == ""


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    """No text raises an exception, and a random text is no licence."""
    assert (spdx(text), spdx_of_pyproject(text)) == ("", "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[project]\nlicense = "MIT"', "MIT"),
        ('[project]\nlicense = {text = "Apache-2.0"}', "Apache-2.0"),
        ('[project]\nlicense = "MIT OR GPL-3.0"', ""),
        ('[project]\nlicense = {file = "LICENSE"}', ""),
        ('project = "MIT"', ""),
        ("[project", ""),
        ("x = " + "[" * 100_000, ""),
    ],
)
def test_pyproject(text: str, name: str) -> None:
    """One plain identifier, or nothing."""
    assert spdx_of_pyproject(text) == name


@pytest.mark.parametrize(
    "name", ["LICENSE", "LICENCE.md", "License.txt", "COPYING", "UNLICENSE", "LICENSE-MIT"]
)
def test_file_names(name: str) -> None:
    """The common spellings; only at the top of a repository."""
    assert (FILE_NAMES.match(name) is None, FILE_NAMES.match(f"docs/{name}")) == (False, None)


def test_copyleft_is_not_permissive() -> None:
    """The default list requires no more than a notice."""
    assert {"MIT", "Apache-2.0"} <= set(PERMISSIVE) and not {"GPL", "LGPL", "MPL-2.0"} & set(PERMISSIVE)


@pytest.mark.parametrize(
    ("named", "licence"),
    [
        ("apache-2.0", "Apache-2.0"),
        (" MIT ", "MIT"),
        ("cc-by-nc-4.0", "CC-BY-NC-4.0"),
        ("openrail", ""),
        ("llama3", ""),
        ("", ""),
    ],
)
def test_names_in_any_case(named: str, licence: str) -> None:
    """Cards write identifiers in lower case; other texts are not licences."""
    assert spdx_of_name(named) == licence

"""What a model is asked: to write a file of tests for one file."""

from __future__ import annotations

from benchwright.building.codecorrectness.generated_focal import Focal
from benchwright.lang.languages import language
from benchwright.store.keys import content_key
from benchwright.tracks.wordings import fence

PROMPT = "write-tests-1"  # the wording's name; another wording needs another one
_ASKED = """Write unit tests for a {lang} file. This is the whole file, `{path}`:

{code}

{framework} The test file begins like this:

{opening}

Write six test cases, more where the file has much to test. For each of them:

- It can run alone and in any order: it needs nothing that another test case did.
- It calls the code and compares the result with a concrete value that you worked out and wrote down.
- It checks one behaviour. Take ordinary values as well as borders, empty input and errors.
- It uses the standard library and this file only. No network, no files, no clock, no chance, no waiting,
  no replaced parts.

Do not repeat the code of the file in the tests. Answer with the whole test file in one fenced block.
"""


def prompt_text(focal: Focal) -> str:
    """The question about one file, in English as most code is."""
    lang = language(focal.lang)
    return _ASKED.format(
        lang=focal.lang,
        path=focal.path,
        code=_fenced(focal.code, lang.fence),
        framework=lang.test_request,
        opening=_fenced(focal.opening, lang.fence),
    )


def prompt_key(focal: Focal, text: str, sample: int) -> str:
    """The key of a question and of its reply.

    Unlike a run's, it does not name the model: a folder of replies has one, and a build from stored replies
    shall give the rows that the model itself gave.
    """
    return content_key(PROMPT, focal.name, text, sample)


def _fenced(code: str, tag: str) -> str:
    """A block that its content cannot end: docstrings hold fences too."""
    marks = fence(code)
    return f"{marks}{tag}\n{code.strip(chr(10))}\n{marks}"

"""Answers written to attack whoever reads them: in a real browser, nothing of them runs and all is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from benchwright.report.pipeline import write_report
from kit import small_data
from kit.made_runs import finished_run
from kit.visits import Visit

RUN = "window.pwned = 1; document.title = 'pwned'; alert(1)"
FETCH = "fetch('https://example.invalid/')"
HOSTILE = {
    "markup": f'<img src=x onerror="{RUN}"><svg onload="{RUN}"></svg><iframe srcdoc=\'x\'></iframe>',
    "end of script": f"</script><script>{RUN}</script><!--<script>",
    "end of text": f"</code></pre></textarea></title></style><script>{RUN}; {FETCH}</script>",
    "end of JSON": f'"]}}; {RUN}; //\\u003c/script\\u003e{{"',
    "requests": "<link rel=stylesheet href=https://example.invalid/x.css><img src=https://example.invalid/x.png>",
    "template": "{{ 7 * 7 }}{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}${7*7}",
    "address": "javascript:alert(1)//data:text/html,<script>alert(1)</script>",
    "controls": "before\x00\x01\x07\x08\x0b\x0c\x1b[2J\x1b]0;pwned\x07\x7f\x85\x9bafter\r\nline",
    "bidi": "access = 'user\u202e \u2066# admin\u2069 \u2066'\u200b\ufeff\U000e0041 end",
    "separators": "a\u2028b\u2029c",
    "surrogates": "half \ud83d of an emoji \udc00 and a whole \U0001f600",
    "one long line": "x" * 1_000_000,
    "deep": "(" * 30_000 + ")" * 30_000,
    "open string": "'''" + "\\" * 20_001,
    "many quotes": "'\"" * 20_000,
    "many lines": "\n".join(f"line {number} </script>" for number in range(5_000)),
    "letters that combine": "Z" + "\u0335\u0336\u0337" * 500,
}
IDS = [
    "<img src=x onerror=alert(1)>",
    "a&b=c#d%20e+f",
    "</script><script>alert(1)</script>",
    "{{ 7*7 }}",
    "'\"",
]
MODELS = ["openai:<img src=x onerror=alert(1)>", "openai:{{ 7*7 }}&model=\"'<script>alert(1)"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose task ids, model names, answers, reasons and notes are all hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = [small_data.humaneval_row(number, task_id=name) for number, name in enumerate(IDS)]
    data = small_data.write(folder / "tasks.jsonl", rows)
    answers = [
        (
            text,
            "wrong",
            {"detail": text[:300], "stdout": text[:300], "suspicious": text[:60], "rule": text[:60]},
        )
        for text in HOSTILE.values()
    ]
    runs = [
        finished_run(
            folder / name, data, dict.fromkeys(IDS, answers), model=model, notes=[*HOSTILE.values()][:5]
        )
        for name, model in zip(("<b>one", "two"), MODELS, strict=True)
    ]
    out = folder / "report.html"
    write_report(runs, out)
    return out


@pytest.fixture(scope="module")
def reading(chromium: Any, report: Path) -> Iterator[Visit]:
    """One visit that goes from answer to answer, as a reader does."""
    context = chromium.new_context()
    seen = Visit(context.new_page())
    seen.open(report)
    yield seen
    context.close()


def harm(page: Any) -> Any:
    """What a script of an answer would have left."""
    return page.evaluate(
        "[typeof window.pwned, document.querySelectorAll('img, iframe, link[href^=http]').length]"
    )


def files_asked_for(seen: Visit) -> set[str]:
    """Every address that was requested, without the part after `#`."""
    return {url.partition("#")[0] for url in seen.requests if not url.startswith("data:")}


def expected_text(text: str) -> str:
    """What is shown of a text: its beginning, unsafe characters by name. Runs keep no half of a surrogate pair."""
    names = {0x7F: "\u2421", **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}}
    for code in (0x85, 0x9B, 0x202E, 0x2066, 0x2069, 0x200B, 0xFEFF, 0xE0041, 0x2028, 0x2029):
        names[code] = f"U+{code:04X}"
    return re.sub("[\ud800-\udfff]", "\ufffd", text)[:100_000].translate(names)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_answer_is_shown_as_text(reading: Visit, report: Path, kind: str) -> None:
    """No script of it runs, no dialog opens, nothing is requested, and the reader sees what was written."""
    sample = list(HOSTILE).index(kind)
    address = (
        f"#task={quote(IDS[sample % 5], safe='')}&model={quote(MODELS[0].partition(':')[2])}&sample={sample}"
    )
    page = reading.page
    page.evaluate("(address) => { location.hash = address; }", address)
    page.wait_for_selector(f"#answer h2:has-text('answer {sample} ')")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    raw = page.locator("#answer details:has(> summary:text-is('Raw text')) pre").text_content()

    assert raw == expected_text(HOSTILE[kind])
    assert (harm(page), reading.troubles, page.title().endswith("HumanEval")) == (["undefined", 0], [], True)
    assert {report.as_uri()} == files_asked_for(reading)


def test_hostile_names_are_text_everywhere(visit: Callable[..., Visit], report: Path) -> None:
    """Task ids, models and notes appear as they are written, in tables, charts, options and titles."""
    seen = visit()
    page = seen.open(report)
    tasks = page.locator("#task-table tbody th").all_inner_texts()
    models = page.locator("#filter-model option").all_inner_texts()
    page.click("#task-table tbody tr:nth-child(2) td:nth-child(3) a")
    page.wait_for_selector("#answer h2")

    assert tasks == IDS
    assert ["any model", *(model.partition(":")[2] for model in MODELS)] == models
    assert page.inner_text("#reader-title") == "Task a&b=c#d%20e+f"
    assert (harm(page), seen.troubles) == (["undefined", 0], [])


def test_the_policy_stops_what_escaping_would_let_through(
    visit: Callable[..., Visit], report: Path, tmp_path: Path
) -> None:
    """Were an answer to become markup all the same, the page's policy would still not run it."""
    text = report.read_text(encoding="utf-8")
    injected = f'<img src=x onerror="{RUN}"><script>{RUN}</script><a href="javascript:{RUN}" id=bait>x</a>'
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace('<div id="report">', f'<div id="report">{injected}', 1), encoding="utf-8")
    seen = visit()
    page = seen.open(broken)
    page.click("#bait")
    refused = [trouble for trouble in seen.troubles if "Content Security Policy" in trouble]
    html = page.evaluate(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; } catch (e) { return e.name; } })()"
    )

    assert page.evaluate("typeof window.pwned") == "undefined"
    assert (len(refused) >= 3, html) == (True, "TypeError")


@pytest.mark.parametrize(
    "text", [quote("</script>"), "%", "%E0%A4%A", "&&&==", "sample=1", "model=__proto__"]
)
def test_a_hostile_address_harms_nothing(visit: Callable[..., Visit], report: Path, text: str) -> None:
    """Whatever stands after `#` in a link that somebody sends, the page stays whole."""
    seen = visit()
    page = seen.open(report, f"#task={text}&model={text}&{text}")
    page.wait_for_selector("#report:visible, #answer p")

    assert (harm(page), seen.troubles) == (["undefined", 0], [])


def test_answers_are_inert_in_the_file(report: Path) -> None:
    """In the file itself the answers are base64 and nothing else: no answer can end its element."""
    text = report.read_text(encoding="utf-8")
    parts = text.split('<script type="application/octet-stream" id="answers-')[1:]
    bodies = [part.partition(">")[2].partition("<")[0] for part in parts]
    letters = {letter for body in bodies for letter in body.strip()}

    assert len(bodies) == len(IDS)
    assert {letter for letter in letters if not (letter.isascii() and letter.isalnum())} <= set("+/=")
    assert json.dumps(RUN)[1:-1] not in text

"""A team's space in a browser: made, pushed to, changed and deleted with forms; no accessibility violation."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit.command_line import called
from kit.small_data import humaneval, write
from kit.visits import PAGE_S, Visit, check_with_axe

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NAME = "Team <b>A</b>"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A server that takes submissions and judges none: its address and the link of the first account."""
    humaneval(tmp_path, 2)
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[data]]\nname = "small"\ntrack = "humaneval"\npath = "tasks.jsonl"\n', encoding="utf-8"
    )
    command = [sys.executable, "-m", "benchwright", "serve", "--accept", rules, "--no-judge", "--json"]
    with subprocess.Popen(map(str, command), stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.terminate()
        assert process.wait(PAGE_S) == 0


def test_a_space_is_made_used_and_deleted(
    server: dict[str, str], visit: Callable[..., Visit], tmp_path: Path
) -> None:
    """By its pages alone; axe finds nothing in either theme, and nothing is wider than the screen."""
    visited = visit(bypass_csp=True)
    page = visited.page
    page.goto(server["setup"])
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill("four plain words here")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Spaces").click()
    page.get_by_label("Name of a new space").fill(NAME)
    page.get_by_role("button", name="Make space").click()
    page.wait_for_url(re.compile("/spaces/.+"))
    space = page.url
    page.get_by_label("Token name").fill("ci")
    page.get_by_role("button", name="Create token").click()
    token = page.locator(".made code").inner_text()

    rows = [{"task_id": f"Small/{number}", "completion": "    return 1"} for number in range(2)]
    answers = write(tmp_path / "answers.jsonl", rows)
    words = ("--data", "small", "--model", "mine", "--no-wait", "--json")
    pushed = called("push", answers, "--to", space, *words, BENCHWRIGHT_TOKEN=token)
    assert (pushed.code, pushed.document["state"]) == (0, "claimed"), pushed.err

    page.goto(f"{space}/settings")
    page.get_by_role("button", name="Create invitation link").click()
    assert "/invitations/" in page.locator(".made code").inner_text()
    page.get_by_label("The space is").select_option("public")
    page.get_by_role("button", name="Change state").click()
    page.get_by_label("Webhook").fill("https://127.0.0.1:1/x y")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name=re.compile("The webhook must be")).wait_for()
    assert server["address"] not in page.title()

    submission = f"{space}/runs/{pushed.document['submission']}"
    for address in (f"{server['address']}/spaces", space, submission, f"{space}/settings"):
        page.goto(address)
        assert NAME in page.locator("main").inner_text()
        check_with_axe(page, WIDE, PHONE)

    page.goto(submission)
    page.get_by_text("Delete this submission").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("No run was pushed yet.").wait_for()
    page.goto(f"{space}/settings")
    page.get_by_text("Delete this space").click()
    page.get_by_label("Name of the space").fill(NAME)
    page.get_by_role("button", name="Delete space").click()
    page.get_by_text("You have no role in any space.").wait_for()
    assert [each for each in visited.troubles if "422" not in each] == []

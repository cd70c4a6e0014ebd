"""What is decided of a draft without executing it: each reason has a draft that is refused for it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.aicodereval.admission import check_drafts
from benchwright.building.aicodereval.draft_records import Draft, ExaminedDraft
from benchwright.building.aicodereval.form_gates import FORM_GATES
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.aicodereval.release_pipeline import READ_GATES
from benchwright.building.engine.gates import open_gates
from benchwright.contracts.specs import CaseLevel
from benchwright.records import Drop
from benchwright.registry import find
from kit.made_drafts import beside, case, draft, refused_for_form, sound, uncertified
from kit.needs import need_module

FORM, UNCERTIFIED = refused_for_form(), uncertified()


def examined(*drafts: Draft) -> list[ExaminedDraft | Drop]:
    """What stage check makes of drafts."""
    need_module("detect_secrets")
    bounds = EntryBounds()
    lint = open_gates(READ_GATES, (), bounds)
    return list(check_drafts(drafts, open_gates(FORM_GATES, (), bounds), lint))


def reasons(one: Draft) -> list[str]:
    """All reasons that keep a draft from being certified, or from being an entry at all."""
    found = examined(one)[0]
    if isinstance(found, Drop):
        return sorted(found.evidence["reasons"].values())
    return sorted(each.reason for each in found.reasons.values())


@pytest.mark.parametrize("one", sound(), ids=lambda one: one.unit)
def test_sound_drafts_are_kept_without_a_reason(one: Draft) -> None:
    """No gate has anything against them."""
    assert (type(examined(one)[0]), reasons(one)) == (ExaminedDraft, [])


@pytest.mark.parametrize("reason", FORM)
def test_what_is_no_entry_is_dropped(reason: str) -> None:
    """With its own code, and a place where to look."""
    found = examined(FORM[reason])[0]

    assert isinstance(found, Drop)
    assert (found.reason, reasons(FORM[reason])) == (reason, [reason])
    assert found.detail


@pytest.mark.parametrize("reason", UNCERTIFIED)
def test_what_is_not_certified_stays_with_its_reason(reason: str) -> None:
    """It may still be trained on, so it is no drop."""
    assert (type(examined(UNCERTIFIED[reason])[0]), reasons(UNCERTIFIED[reason])) == (ExaminedDraft, [reason])


def test_a_drop_has_all_its_reasons() -> None:
    """Whoever mends the first should know of the others."""
    bad = msgspec.structs.replace(FORM["forbidden_call"], licence="")

    assert reasons(bad) == ["forbidden_call", "licence_unknown"]


def test_a_missing_library_is_named() -> None:
    """And the draft is neither refused nor kept for good."""
    found = examined(beside()["env-missing"])[0]

    assert isinstance(found, ExaminedDraft)
    assert found.decisions["aicodereval.imports"].evidence == {
        "missing": ["torchvision"],
        "environment": "bare",
    }


def test_a_secret_is_not_shown_where_it_was_found() -> None:
    """Nor can a comment in the draft switch the search off."""
    body = "token = 'ghp_' + '1'\nkey = 'AKIAIOSFODNN7EXAMPLQ'  # pragma: allowlist secret\nreturn key\n"
    found = examined(draft("hidden", "def f(x):", body, [case("one", CaseLevel.normal, [1], value=1)]))[0]

    assert isinstance(found, Drop)
    assert found.reason == "secret"
    assert "AKIA" not in msgspec.json.encode(found).decode()


def test_a_draft_is_there_once() -> None:
    """Not under one id twice, and not the same one with another layout."""
    first = sound()[0]
    entry = msgspec.structs.replace(
        first.entry, task_id="other", implementation=first.entry.implementation + "\n    # and so on"
    )
    found = examined(first, first, msgspec.structs.replace(first, entry=entry))

    assert [each.reason for each in found if isinstance(each, Drop)] == ["task_id_taken", "duplicate"]


@pytest.mark.parametrize(
    ("imports", "body", "reason"),
    [
        ("import random", "random.seed(1)\nreturn random.random()", ""),
        ("import random", "return random.Random(3).random()", ""),
        ("import random", "return random.Random().random()", "random_unseeded"),
        ("from random import choice", "return choice(x)", "random_unseeded"),
        ("import numpy as np", "return np.random.default_rng(7).random()", ""),
        ("import numpy as np", "return np.random.default_rng().random()", "numpy_random_unseeded"),
        ("import numpy.random as r", "return r.normal()", "numpy_random_unseeded"),
        ("import torch", "torch.manual_seed(0)\nreturn torch.rand(1).item()", ""),
        ("import torch", "return torch.rand(1).item()", "torch_random_unseeded"),
        ("import uuid", "return str(uuid.uuid4())", "random_unseeded"),
        ("import time", "return time.perf_counter()", "clock_read"),
        ("import time", "return time.strftime('%Y', time.gmtime(x))", ""),
        ("import time", "return time.strftime('%Y')", "clock_read"),
        ("import numpy as np", "return np.random.RandomState().rand()", "numpy_random_unseeded"),
        ("import numpy as np", "return np.random.RandomState(4).rand()", ""),
        ("import os", "return os.getpid() % 2", "machine_read"),
        ("from os import environ as e", "return e.get('HOME')", "machine_read"),
        ("import sys", "return sys.version_info.minor", "machine_read"),
        ("import platform", "return platform.node()", "machine_read"),
        ("import os", "return os.cpu_count()", "machine_read"),
        ("import uuid", "return uuid.getnode()", "machine_read"),
        ("import tempfile", "return tempfile.gettempdir()", "machine_read"),
        ("", "return open('/proc/self/stat').read()", "machine_read"),
        ("import pathlib", "return pathlib.Path('/sys/devices').exists()", "machine_read"),
        ("", "return '/procedure/x'", ""),
        ("import os", "return os.path.join('a', 'b')", ""),
        ("from sklearn.ensemble import RandomForestClassifier as F", "return F().fit(x)", "random_unseeded"),
        ("from sklearn.ensemble import RandomForestClassifier as F", "return F(random_state=0).fit(x)", ""),
        ("from datetime import datetime as d", "return d.now().year", "clock_read"),
    ],
)
def test_what_hangs_on_chance(imports: str, body: str, reason: str) -> None:
    """Draws without a seed and looks at the clock are found under whatever name; seeded ones are none."""
    cases = [case(level, CaseLevel(level), [number], value=1) for number, level in enumerate(CaseLevel)]
    found = reasons(draft("drawn", "def f(x):", body, cases, imports=(imports,) if imports else ()))

    assert [each for each in found if each != "env_missing"] == ([reason] if reason else [])


LONG = "0x" + "f" * 4000


@pytest.mark.parametrize(
    ("body", "more", "reason"),
    [
        (f"return x + {LONG}", {}, "bad_implementation"),
        ("return x", {"wrong": {"w": f"def f(x):\n    return {LONG}\n"}}, "further_syntax"),
        ("return x", {"alternatives": [f"def f(x):\n    return {LONG}\n"]}, "further_syntax"),
    ],
)
def test_an_integer_that_is_too_long_to_write_back(body: str, more: dict[str, Any], reason: str) -> None:
    """A drop with its reason, and the other drafts go on."""
    cases = [case(level, CaseLevel(level), [number], value=1) for number, level in enumerate(CaseLevel)]
    found, other = examined(draft("long", "def f(x):", body, cases, **more), sound()[0])

    assert isinstance(found, Drop)
    assert found.reason == reason
    assert isinstance(other, ExaminedDraft)


def test_a_models_own_eval_is_no_forbidden_call() -> None:
    """Names are looked up in the tree, so a method of that name is left alone."""
    cases = [case(level, CaseLevel(level), [number], value=1) for number, level in enumerate(CaseLevel)]

    assert reasons(draft("evaluated", "def f(model):", "model.eval()\nreturn model.compile(1)", cases)) == []


def test_each_gate_is_in_the_registry() -> None:
    """Under the name that it has in manifests."""
    need_module("detect_secrets")
    opened = open_gates((*FORM_GATES, *READ_GATES), (), EntryBounds())

    assert all(find("gate", each.name)(EntryBounds()).name == each.name for each in opened)


def test_a_missing_scanner_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build says at once what to install, before anything is written."""
    monkeypatch.setitem(__import__("sys").modules, "detect_secrets.settings", None)

    with pytest.raises(Exception, match="detect-secrets") as raised:
        find("gate", "aicodereval.secrets")(EntryBounds())
    assert getattr(raised.value, "exit_code", None) == 3


@pytest.mark.parametrize(
    ("body", "flaw"),
    [
        ("try:\n    int(x)\n    return True\nexcept Exception:\n    return False", ""),
        ("try:\n    return int(x)\nexcept Exception:\n    return False", ""),
        ("try:\n    return int(x)\nexcept Exception:\n    x = 1\nreturn x > 1", "swallowed_exception"),
        ("try:\n    return int(x)\nexcept:\n    pass", "swallowed_exception"),
        ("E = (ValueError, Exception)\ntry:\n    return int(x)\nexcept E:\n    pass", "swallowed_exception"),
        ("with contextlib.suppress(Exception):\n    return int(x) > 0\nreturn False", "swallowed_exception"),
        ("with contextlib.suppress(ValueError):\n    return int(x) > 0\nreturn False", ""),
        ("try:\n    found = int(x) > 0\nfinally:\n    return False", "swallowed_exception"),
    ],
)
def test_what_passes_over_errors(body: str, flaw: str) -> None:
    """All ways to do so; a function that says whether something works may answer with a bool."""
    cases = [case(level, CaseLevel(level), [number], value=True) for number, level in enumerate(CaseLevel)]
    found = reasons(draft("asked", "def asked(x) -> bool:", body, cases, imports=("import contextlib",)))

    assert found == ([flaw] if flaw else [])


@pytest.mark.parametrize(
    ("imports", "body", "flaw"),
    [
        ("import json", "return 'https://a.org/' + x", ""),
        ("import json", "base = 'https://a.org'\nreturn f'{base}/{x}'", ""),
        ("import json", "return json.dumps({'url': 'https://a.org'})", ""),
        ("from urllib.parse import urljoin", "return urljoin('https://a.org/', x)", ""),
        ("import pandas as pd", "return pd.read_csv('https://a.org/x.csv')", "address_in_code"),
        (
            "import pandas as pd",
            "place = 'https://a.org/x.csv'\nreturn pd.read_csv(place)",
            "address_in_code",
        ),
        ("import torch", "return torch.hub.load_state_dict_from_url(url='https://a.org')", "address_in_code"),
    ],
)
def test_addresses_that_are_fetched(imports: str, body: str, flaw: str) -> None:
    """One that is only built is a text."""
    cases = [
        case(level, CaseLevel(level), [str(number)], value="a") for number, level in enumerate(CaseLevel)
    ]
    found = reasons(draft("placed", "def placed(x):", body, cases, imports=(imports,)))

    assert [each for each in found if each != "env_missing"] == ([flaw] if flaw else [])

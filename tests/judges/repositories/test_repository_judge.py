"""The judge of answers in repositories: environments, stubs, baselines, bad clones, and attacks on all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.contracts import Extraction, Judgement, MakeTests, RepositorySpec
from benchwright.demo.git_history import make_clone
from benchwright.demo.repositories import HISTORIES, make_clones
from benchwright.judges.judge_registry import Resources
from benchwright.judges.repositories.judge import RepositoryJudge
from benchwright.judges.suites import java
from benchwright.records import Answer
from benchwright.registry import find
from benchwright.sandbox.box import Sandbox
from kit.examples import SCALE
from kit.mera_replies import SAMPLES
from kit.needs import need, need_ready, need_sandbox, need_that

Judged = Callable[[RepositorySpec, str], Judgement]


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clones")
    make_clones(folder)
    return folder


@pytest.fixture(scope="module")
def judged() -> Iterator[Judged]:
    need_sandbox()
    with Sandbox() as box, ExitStack() as closing:
        judge = RepositoryJudge(Resources(box, closing))

        def of(spec: RepositorySpec, program: str) -> Judgement:
            found = judge.judge(Extraction(program=program, rule=""), spec)
            return found if isinstance(found, Judgement) else found()

        yield of


def _spec(track: str, clones: Path, number: int, profile: str = "strict", **changes: Any) -> RepositorySpec:
    found = find("track", track).in_repositories(clones)
    task = list(found.load(SAMPLES / f"{track}.jsonl"))[number - 1]
    return msgspec.structs.replace(found.spec(task, profile=profile), **changes)


def _end(found: Judgement) -> str:
    return found.outcome.value


def test_python(clones: Path, judged: Judged) -> None:
    """The reference passes; other bodies, an empty one and a broken one do not; scores are there for each."""
    spec = _spec("realcode", clones, 1)
    ends = {text: judged(spec, text) for text in (spec.gold, "    return title", "", "    return (")}

    assert list(map(_end, ends.values())) == ["passed", "wrong", "no_code", "syntax_error"]
    assert "tests/test_wording.py::test_slug" in ends["    return title"].detail
    assert all(
        each.scores
        == {
            "execution_success": 1.0,
            "pass_dry_run": 1.0,
            "pass_oracle": 1.0,
            "pass_stub_pass": 0.0,
            "pass_stub_empty_str": 0.0,
            "baseline_empty": 0.0,
            "baseline_echo": 0.0,
        }
        for each in ends.values()
    )


def test_a_row_that_a_stub_passes_is_left_out_in_strict_alone(clones: Path, judged: Judged) -> None:
    """No test reads what `Calendar.note` stores."""
    tasks = find("track", "realcode").load(SAMPLES / "realcode.jsonl")
    number = next(at for at, task in enumerate(tasks, 1) if task.meta["intent"].startswith("note["))
    strict, exact = (_spec("realcode", clones, number, profile) for profile in ("strict", "mera-exact"))
    found = judged(strict, "        pass")

    assert (_end(found), found.detail) == ("undecided", "not scored: the stub `pass` passes the tests")
    assert _end(judged(exact, "        pass")) == "passed"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"missing": "no clone of ours/toolbox"}, "no clone of ours/toolbox"),
        ({"clone": "/nonexistent"}, "/nonexistent"),
        ({"commit": "0" * 40}, "unknown commit"),
        ({"path": "toolbox/other.py"}, "has no text file toolbox/other.py"),
        ({"left": "def other():"}, "does not contain left_context"),
        ({"right": "def other():"}, "does not contain right_context"),
        ({"tests": ["tests/test_other.py::test_slug"]}, "no test tests/test_other.py::test_slug"),
        ({"tests": ["tests/test_wording.py::test_other"]}, "no test tests/test_wording.py::test_other"),
    ],
)
def test_a_missing_environment_is_named(
    changes: dict[str, Any], said: str, clones: Path, judged: Judged
) -> None:
    """By both profiles, and never scored."""
    for profile in ("strict", "mera-exact"):
        found = judged(_spec("realcode", clones, 1, profile, **changes), "    return title")
        assert _end(found) == "undecided"
        assert found.detail.startswith("not scored: env-missing: ")
        assert said in found.detail
        assert found.scores == {"execution_success": 0.0}


def test_a_dirty_work_tree_has_no_effect(clones: Path, judged: Judged) -> None:
    """Files come from the commit."""
    (clones / "toolbox" / "toolbox").mkdir(exist_ok=True)
    (clones / "toolbox" / "toolbox" / "wording.py").write_text("raise SystemExit")

    assert _end(judged(_spec("realcode", clones, 2), _spec("realcode", clones, 2).gold)) == "passed"


PYTHON_ATTACKS = (
    "import os\n    os._exit(0)",
    "raise SystemExit(0)",
    "import pytest\n    pytest.skip('not today')",
    "open('/tmp/project/tests/test_wording.py', 'w').write('def test_slug(): pass')\n    return 'x'",
    "open('/tmp/project/tests/conftest.py', 'w').write('def pytest_runtest_call(item): pass')\n    return 'x'",
    "open('/tmp/project/conftest.py', 'w').write('collect_ignore = [\"tests\"]')\n    return 'x'",
    "open('report_pytest.json', 'w').write('{\"tests\": []}')\n    return 'x'",
    "import _pytest.runner as r\n    r.call_runtest_hook = lambda *a, **k: None\n    return 'x'",
    "class Same(str):\n        __eq__ = lambda self, other: True\n    return Same('x')",
    "open('/etc/benchwright-was-here', 'w').write('x')\n    return 'x'",
    "import signal, os\n    os.kill(os.getppid(), signal.SIGKILL)\n    return 'x'",
    "import subprocess\n    subprocess.run(['pip', 'install', 'evil'])\n    return 'x'",
)


@pytest.mark.parametrize("attack", PYTHON_ATTACKS)
def test_a_python_answer_cannot_make_its_tests_pass(attack: str, clones: Path, judged: Judged) -> None:
    """Nor hurt the machine or the next answer."""
    spec = _spec("realcode", clones, 1)

    assert _end(judged(spec, f"    {attack}\n")) not in ("passed", "undecided", "sandbox_error")
    assert not Path("/etc/benchwright-was-here").exists()
    assert _end(judged(spec, spec.gold)) == "passed"


def test_java(clones: Path, judged: Judged) -> None:
    """The reference passes; a wrong body, one that does not compile, and attacks do not."""
    need_ready(lambda: java.JavaSuites().versions(), "Java suites")
    spec = _spec("realcodejava", clones, 1, stubs={}, baselines={})
    bodies = {
        spec.gold: "passed",
        "        return 7;\n    }": "wrong",
        "        return sum;\n    }": "syntax_error",
        "        System.exit(0);\n        return 0;\n    }": "",
        "        return 0;\n    }\n    static { Runtime.getRuntime().halt(0); }": "",
        '        try { java.nio.file.Files.writeString(java.nio.file.Path.of("/etc/was-here"), "x"); }'
        " catch (Exception e) { }\n        return 0;\n    }": "wrong",
    }
    for body, end in bodies.items():
        found = judged(spec, body)
        assert _end(found) == end if end else _end(found) not in ("passed", "undecided", "sandbox_error")
        assert found.scores["pass_oracle"] == 1.0


SERVICES = {
    "META-INF/services/javax.annotation.processing.Processor": ["ours.ledger.Sums$Reads"],
    "src/main/resources/META-INF/services/javax.annotation.processing.Processor": ["ours.ledger.Sums$Reads"],
    "META-INF/services/com.sun.source.util.Plugin": ["ours.ledger.Sums$Starts"],
    "src/main/resources/META-INF/services/com.sun.source.util.Plugin": ["ours.ledger.Sums$Starts"],
    "pom.xml": ["<project><build><plugins><plugin/></plugins></build></project>"],
    "build.gradle": ["new File('/etc/benchwright-build').text = 'x'"],
    ".mvn/jvm.config": ["-javaagent:ledger.jar"],
    "src/main/java/module-info.java": ["module ledger { provides Missing with Missing; }"],
}
HOSTILE_BODY = """        return 0;
    }
    @javax.annotation.processing.SupportedAnnotationTypes("*")
    public static class Reads extends javax.annotation.processing.AbstractProcessor {
        @Override public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> types,
                javax.annotation.processing.RoundEnvironment round) {
            Runtime.getRuntime().halt(0);
            return true;
        }
    }
    public static class Starts implements com.sun.source.util.Plugin {
        @Override public String getName() { return "wins"; }
        @Override public boolean autoStart() { return true; }
        @Override public void init(com.sun.source.util.JavacTask task, String... args) {
            Runtime.getRuntime().halt(0);
        }
    }"""


def test_what_a_java_build_would_load_is_not_loaded(tmp_path: Path, judged: Judged) -> None:
    """Processors, plugins of javac and build files, in the repository and in the answer: an answer that
    returns 0 fails its test, and the reference passes beside all of them."""
    need_ready(lambda: java.JavaSuites().versions(), "Java suites")
    history = msgspec.json.decode((HISTORIES / "ledger.json").read_bytes())
    history["commits"][0]["files"] |= SERVICES
    history["references"] = {"refs/heads/hostile": history["commits"][0]["name"]}
    (tmp_path / "ledger.json").write_bytes(msgspec.json.encode(history))
    (tmp_path / "ledger").mkdir()
    make_clone(tmp_path / "ledger.json", tmp_path / "ledger")
    commit = (tmp_path / "ledger" / "refs" / "heads" / "hostile").read_text().strip()
    spec = _spec("realcodejava", tmp_path, 1, commit=commit, stubs={}, baselines={})
    found = judged(spec, HOSTILE_BODY)

    assert (_end(found), found.detail.partition(":")[0]) == ("wrong", "ours.ledger.SumsTest")
    assert (found.scores["pass_dry_run"], found.scores["pass_oracle"]) == (1.0, 1.0)
    assert not Path("/etc/benchwright-build").exists()


FORGED = "".join(
    f'printf("ok {name}\\n");'
    for name in ("num_gcd", "num_lcm", "num_is_prime", "num_power", "num_clamp", "num_digit_sum", "canary")
)
C_ATTACKS = (
    "#include <stdlib.h>\nlong num_gcd(long a, long b) { exit(0); }",
    "#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }\n"
    "long num_gcd(long a, long b) { return 0; }",
    "#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void)"
    f" {{ {FORGED} fflush(stdout); _exit(0); }}\nlong num_gcd(long a, long b) {{ return 0; }}",
    '#include <stdio.h>\nint printf(const char *f, ...) { puts("ok num_gcd"); return 0; }\n'
    "long num_gcd(long a, long b) { return 0; }",
    '#include <stdio.h>\nlong num_gcd(long a, long b) { FILE *f = fopen("Makefile", "w"); fputs("test:\\n", f);'
    " fclose(f); return 0; }",
    '#include <stdio.h>\nlong num_gcd(long a, long b) { FILE *f = fopen("/etc/benchwright-c", "w");'
    " if (f) fclose(f); return 0; }",
    '#include "/etc/shadow"\nlong num_gcd(long a, long b) { return 6; }',
)


def test_c(clones: Path, judged: Judged) -> None:
    """The reference passes; wrong functions, broken ones, an empty answer and attacks do not."""
    need("gcc", "compiles C")
    need("make", "builds the repository")
    spec = _spec("yabloco", clones, 1, baselines={})
    found = judged(spec, spec.gold)

    assert (_end(found), found.isolation.value, found.scores["exact_match"]) == (
        "passed",
        "tamper-evident",
        1,
    )
    assert found.scores["pass_stub_empty_body"] == 0
    wrong = judged(spec, spec.gold.replace("return a;", "return a + 1;"))
    assert (_end(wrong), wrong.scores["exact_match"]) == ("wrong", 0)
    assert _end(judged(spec, "long num_gcd(")) == "syntax_error"
    assert [_end(judged(spec, text)) for text in ("", "-\n")] == ["no_code", "no_code"]
    for attack in C_ATTACKS:
        assert _end(judged(spec, attack)) not in ("passed", "undecided", "sandbox_error"), attack
    assert not Path("/etc/benchwright-c").exists()
    assert _end(judged(spec, spec.gold)) == "passed"


def test_an_endless_c_function_is_ended(clones: Path, judged: Judged) -> None:
    """By the limit of the build, which is 30 s of processor time."""
    need_that(SCALE > 1, "takes 30 s of processor time, so only the weekly check does it")
    spec = _spec("yabloco", clones, 1)

    assert _end(judged(spec, spec.gold.replace("a % b", "a - b"))) == "wrong"


def test_forged_reports_of_all_tests_pass_the_canary_too(clones: Path, judged: Judged) -> None:
    """An answer that prints every line of a good run is tampered; without a canary it would be believed."""
    need("gcc", "compiles C")
    spec = _spec("yabloco", clones, 1, stubs={}, baselines={})
    assert spec.make is not None
    lines = "".join(f"ok {name}\\n" for name in _names())
    forged = (
        "#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void)"
        f' {{ printf("{lines}"); fflush(stdout); _exit(0); }}\nlong num_gcd(long a, long b) {{ return 0; }}'
    )
    without = msgspec.structs.replace(spec, make=msgspec.structs.replace(spec.make, canary=None))

    found = judged(spec, forged)
    assert (_end(found), found.detail) == (
        "tampered",
        "canary: a test that must fail was reported as passed",
    )
    assert _end(judged(without, forged)) == "passed"  # believed: why a canary is needed


def _names() -> list[str]:
    tasks = find("track", "yabloco").load(SAMPLES / "yabloco.jsonl")
    return [*(task.meta["fname"] for task in tasks if task.meta["fname"] != "arr_note"), "canary"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (MakeTests(build="false", test="true"), "the build failed"),
        (MakeTests(test="exit 3"), "status 3"),
        (MakeTests(test="true", reported="^(?P<state>ok) (?P<name>.+)$"), "no test was reported"),
        (
            MakeTests(test="echo ok a; echo ok a", reported="^(?P<state>ok) (?P<name>.+)$"),
            "a: reported twice",
        ),
    ],
)
def test_commands_that_fail_on_the_unchanged_repository(
    make: MakeTests, said: str, clones: Path, judged: Judged
) -> None:
    """Make the environment missing."""
    need("make", "builds the repository")
    spec = _spec("yabloco", clones, 1, make=make, clone=str(clones / "numlib"))
    found = judged(spec, spec.gold)

    assert _end(found) == "undecided"
    assert said in found.detail


def test_answers_with_text_around_are_read(clones: Path) -> None:
    """The whole function, its body without indentation, and reasoning before it give the same body."""
    track = find("track", "realcode")
    task = next(iter(track.load(SAMPLES / "realcode.jsonl")))
    gold, head = task.meta["gt"], 'def slug(title):\n    """Doc."""'
    texts = [
        f"```python\n{gold}\n```",
        f"<think>hm</think>Вот:\n```python\n{head.partition(chr(10))[0]}\n{gold}\n```\nГотово.",
        "```\n" + "\n".join(line[4:] for line in gold.split("\n")) + "\n```",
        gold.lstrip(),
    ]
    found = [
        track.extract(
            task, Answer(key="", task_id=1, sample=0, model="m", text=text), profile="strict"
        ).program
        for text in texts
    ]

    assert found == [gold] * 4

"""The hostile Java files and how each may end. None computes the right total, so none may pass."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import Suite

PROGRAMS = Path(__file__).parent / "programs"
TEST = """
package shop.cart;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
class CartTest {
    @Test void adds() { Cart c = new Cart(); c.add(2); c.add(3); assertEquals(5, c.total()); }
    @Test void empty() { assertEquals(0, new Cart().size()); }
}
"""
GOOD = """
package shop.cart;
public class Cart {
    private int total, size;
    public void add(int price) { total += price; size++; }
    public int total() { return total; }
    public int size() { return size; }
}
"""
BAD = GOOD.replace("return total", "return total + 1")
TWICE = ("state_of_the_platform", "deletes_classes", "threads_that_stay", "starts_processes")
FOCAL, TESTS = "src/main/java/shop/cart/Cart.java", "src/test/java/shop/cart/CartTest.java"


class Attack(NamedTuple):
    """A program, the ends that are allowed ("state" or "state kind"), and files that lie beside it."""

    name: str
    ends: tuple[str, ...]
    path: str = FOCAL
    more: tuple[tuple[str, str], ...] = ()


_SERVICE = "META-INF/services/org.junit.jupiter.api.extension.Extension"
ATTACKS = (
    Attack("exit_while_loading", ("failed exception",)),
    Attack("halt_in_call", ("failed exception",)),
    Attack("exit_from_a_hook", ("failed exception",)),
    Attack("starts_processes", ("failed assertion",)),
    Attack("processes_without_end", ("failed assertion", "failed exception", "failed memory")),
    Attack("state_of_the_platform", ("failed assertion",)),
    Attack("prints_a_report", ("tampered",)),
    Attack("prints_success", ("failed assertion",)),
    Attack("rewrites_the_report", ("failed assertion", "tampered")),
    Attack("repeats_the_report", ("tampered",)),
    Attack("reflects_on_the_launcher", ("failed assertion",)),
    Attack("calls_the_launcher", ("tampered",)),
    Attack("security_manager", ("failed assertion", "tampered")),
    Attack("loops_while_loading", ("failed timeout",)),
    Attack("waits_while_loading", ("failed timeout",)),
    Attack("threads_that_stay", ("failed assertion",)),
    Attack("replaced_streams", ("failed assertion",)),
    Attack("closes_descriptors", ("failed exception", "failed assertion")),
    Attack("equal_to_all", ("failed assertion",)),
    Attack("deletes_classes", ("failed assertion", "failed exception", "failed environment", "tampered")),
    Attack("generics_without_end", ("failed compile", "failed timeout", "failed memory")),
    Attack("deep_expression", ("failed compile", "failed timeout")),
    Attack("escapes_in_source", ("failed exception",)),
    Attack("named_like_junit", ("tampered", "failed import", "failed compile"), "org/junit/jupiter/api/Assertions.java"),
    Attack("named_like_the_launcher", ("tampered",), "benchwright/inside/Report.java", ((FOCAL, BAD),)),
    Attack(
        "annotation_processor",
        ("failed assertion",),
        more=(
            ("META-INF/services/javax.annotation.processing.Processor", "shop.cart.Cart\n"),
            ("src/main/resources/META-INF/services/javax.annotation.processing.Processor", "shop.cart.Cart\n"),
        ),
    ),
    Attack(
        "javac_plugin",
        ("failed assertion",),
        more=(
            ("META-INF/services/com.sun.source.util.Plugin", "shop.cart.Cart\n"),
            ("src/main/resources/META-INF/services/com.sun.source.util.Plugin", "shop.cart.Cart\n"),
            ("META-INF/services/javax.annotation.processing.Processor", "shop.cart.Cart$Reads\n"),
            ("javac.args", "-Xplugin:wins -proc:full\n"),
            (".mvn/jvm.config", "-javaagent:cart.jar\n"),
            ("pom.xml", "<project><build><plugins/></build></project>\n"),
            ("build.gradle", "new File('/etc/benchwright-gradle').text = 'x'\n"),
        ),
    ),
    Attack(
        "extension_that_forgives",
        ("tampered",),
        more=(
            (_SERVICE, "shop.cart.Cart\n"),
            ("junit-platform.properties", "junit.jupiter.extensions.autodetection.enabled=true\n"),
            (f"classes/{_SERVICE}", "shop.cart.Cart\n"),
            ("classes/junit-platform.properties", "junit.jupiter.extensions.autodetection.enabled=true\n"),
        ),
    ),
    Attack("heap_and_files", ("failed assertion", "failed exception", "failed memory")),
    Attack("prints_without_end", ("failed exception", "failed timeout", "failed assertion")),
    Attack("source_of_one_huge_class", ("failed compile", "failed memory", "failed timeout", "failed assertion")),
)  # fmt: skip


def hostile(attack: Attack) -> Suite:
    """The suite of one program."""
    text = (PROGRAMS / f"{attack.name}.java").read_text("utf-8")
    return _suite({attack.path: text, **dict(attack.more)}, focal=attack.path)


def honest(focal: str) -> Suite:
    """A suite with nothing hostile in it."""
    return _suite({FOCAL: focal}, focal=FOCAL)


def _suite(files: dict[str, str], *, focal: str) -> Suite:
    cases = ["CartTest#adds", "CartTest#empty"]
    files = {**files, TESTS: TEST}
    return Suite(lang="Java", framework="junit5", files=files, focal=focal, test=TESTS, cases=cases)

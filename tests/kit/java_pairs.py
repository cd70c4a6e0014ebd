"""Pairs of a focal file and a test file in Java, each with its expected result."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.contracts import Suite

JUPITER = """
package shop.cart;
import static org.junit.jupiter.api.Assertions.*;
import java.util.*;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;
"""
FOUR = """
package shop.cart;
import static org.junit.Assert.*;
import org.junit.*;
"""
CART = """
package shop.cart;
import java.util.*;
public class Cart {
    private final List<Integer> prices = new ArrayList<>();
    public void add(int price) {
        if (price < 0) throw new IllegalArgumentException("a price below zero: " + price);
        prices.add(price);
    }
    public int total() { return prices.stream().mapToInt(Integer::intValue).sum(); }
    public int size() { return prices.size(); }
}
"""


class Pair(NamedTuple):
    """A named pair; `kind` and `detail` (a part of it) are those of a failure."""

    name: str
    suite: Suite
    state: str
    kind: str = ""
    detail: str = ""


def suite(focal: str, test: str, *cases: str, framework: str = "junit5", **more: str) -> Suite:
    """Return a suite in one package; its cases are in a class CartTest unless another is given."""
    files = {
        "src/main/java/shop/cart/Cart.java": focal,
        "src/test/java/shop/cart/CartTest.java": test,
        **more,
    }
    names = [case if "#" in case else f"CartTest#{case}" for case in cases]
    paths = list(files)
    return Suite(lang="Java", framework=framework, files=files, focal=paths[0], test=paths[1], cases=names)


def jupiter(body: str, *cases: str, focal: str = CART, **more: str) -> Suite:
    """Return a JUnit 5 suite with this class body."""
    return suite(focal, f"{JUPITER}class CartTest {{\n{body}\n}}\n", *cases, **more)


def four(body: str, *cases: str, focal: str = CART) -> Suite:
    """Return a JUnit 4 suite with this class body."""
    return suite(focal, f"{FOUR}public class CartTest {{\n{body}\n}}\n", *cases, framework="junit4")


ADDS = "@Test void adds() { Cart c = new Cart(); c.add(2); c.add(3); assertEquals(5, c.total()); }"
WRONG = CART.replace(".sum()", ".sum() + 1")

PAIRS = [
    Pair("five passes", jupiter(ADDS, "adds"), "success"),
    Pair("five fails", jupiter(ADDS, "adds", focal=WRONG), "failed", "assertion", "expected: <5> but was: <6>"),
    Pair(
        "five prints",
        jupiter('@Test void adds() { System.out.println("@ 0"); System.err.println("x"); }', "adds"),
        "success",
    ),
    Pair(
        "nested",
        jupiter(
            "@Nested class Empty { @Test void none() { assertEquals(0, new Cart().size()); }\n"
            "@Nested class Deeper { @Test void zero() { assertEquals(0, new Cart().total()); } } }",
            "CartTest$Empty#none",
            "CartTest$Empty$Deeper#zero",
        ),
        "success",
    ),
    Pair(
        "nested fails",
        jupiter("@Nested class Full { @Test void one() { assertEquals(1, new Cart().size()); } }", "CartTest$Full#one"),
        "failed",
        "assertion",
        "CartTest$Full#one",
    ),
    Pair(
        "parametrised",
        jupiter(
            "@ParameterizedTest @ValueSource(ints = {0, 1, 7}) void any(int p)"
            " { Cart c = new Cart(); c.add(p); assertEquals(p, c.total()); }\n"
            '@ParameterizedTest @CsvSource({"1, 2, 3", "4, 5, 9"}) void two(int a, int b, int sum)'
            " { Cart c = new Cart(); c.add(a); c.add(b); assertEquals(sum, c.total()); }",
            "any",
            "two",
        ),
        "success",
    ),
    Pair(
        "one of the parameters fails",
        jupiter(
            "@ParameterizedTest @ValueSource(ints = {0, -1, 7}) void any(int p)"
            " { Cart c = new Cart(); c.add(p); assertEquals(p, c.total()); }",
            "any",
        ),
        "failed",
        "exception",
        "IllegalArgumentException: a price below zero: -1",
    ),
    Pair(
        "factory and repetition",
        jupiter(
            "@TestFactory List<DynamicTest> made()"
            ' { return List.of(DynamicTest.dynamicTest("a", () -> assertTrue(true))); }\n'
            "@RepeatedTest(3) void again() { assertEquals(0, new Cart().total()); }",
            "made",
            "again",
        ),
        "success",
    ),
    Pair(
        "expected exception",
        jupiter(
            "@Test void below() { assertThrows(IllegalArgumentException.class, () -> new Cart().add(-1)); }", "below"
        ),
        "success",
    ),
    Pair(
        "other exception",
        jupiter("@Test void none() { Cart c = null; c.add(1); }", "none"),
        "failed",
        "exception",
        "NullPointerException",
    ),
    Pair(
        "disabled beside another",
        jupiter(ADDS + '\n@Disabled("later") @Test void later() { fail(); }', "adds", "later"),
        "success",
    ),
    Pair(
        "fixture of the class fails",
        jupiter('@BeforeAll static void all() { throw new IllegalStateException("no"); }\n' + ADDS, "adds"),
        "failed",
        "exception",
        "IllegalStateException: no",
    ),
    Pair(
        "time limit of the test",
        jupiter(
            "@Timeout(value = 100, unit = TimeUnit.MILLISECONDS)"
            " @Test void slow() throws Exception { Thread.sleep(60_000); }",
            "slow",
        ),
        "failed",
        "timeout",
        "TimeoutException",
    ),
    Pair(
        "loop",
        jupiter(ADDS + "\n@Test void loops() { while (new Cart().total() == 0) {} }", "adds", "loops"),
        "failed",
        "timeout",
        "in CartTest#loops",
    ),
    Pair(
        "memory",
        jupiter("@Test void eats() { List<int[]> all = new ArrayList<>(); while (true) all.add(new int[1 << 22]); }", "eats"),
        "failed",
        "memory",
        "OutOfMemoryError",
    ),
    Pair(
        "recursion",
        jupiter("int f(int n) { return f(n + 1) + 1; }\n@Test void deep() { f(0); }", "deep"),
        "failed",
        "exception",
        "StackOverflowError",
    ),
    Pair(
        "error of syntax",
        jupiter(ADDS, "adds", focal=CART.replace("size() {", "size( {")),
        "failed",
        "compile",
        "Cart.java:11:",
    ),
    Pair(
        "error of types",
        jupiter(ADDS, "adds", focal=CART.replace("public int size", "public String size")),
        "failed",
        "compile",
        "incompatible types",
    ),
    Pair(
        "method that is not there",
        jupiter("@Test void clears() { new Cart().clear(); }", "clears"),
        "failed",
        "compile",
        "cannot find symbol",
    ),
    Pair(
        "class that is not there",
        jupiter("@Test void makes() { new Basket(); }", "makes"),
        "failed",
        "import",
        "class Basket",
    ),
    Pair(
        "package of the project that is not there",
        jupiter(ADDS, "adds", focal=CART.replace("import java", "import shop.cart.tax.Tax;\nimport java")),
        "failed",
        "import",
        "package shop.cart.tax does not exist",
    ),
    Pair(
        "library that is not there",
        jupiter(ADDS, "adds", focal=CART.replace("import java", "import com.google.common.base.Joiner;\nimport java")),
        "failed",
        "environment",
        "package com.google.common.base does not exist",
    ),
    Pair(
        "class that is gone when it runs",
        jupiter('@Test void loads() throws Exception { Class.forName("com.google.Gone"); }', "loads"),
        "failed",
        "environment",
        "ClassNotFoundException",
    ),
    Pair(
        "four passes",
        four("@Test public void sizes() { Cart c = new Cart(); c.add(1); assertEquals(1, c.size()); }", "sizes"),
        "success",
    ),
    Pair(
        "four fails",
        four("@Test public void sizes() { assertEquals(1, new Cart().size()); }", "sizes"),
        "failed",
        "assertion",
        "expected:<1> but was:<0>",
    ),
    Pair(
        "four compares texts",
        four('@Test public void texts() { assertEquals("ab", "ac"); }', "texts"),
        "failed",
        "assertion",
        "ComparisonFailure",
    ),
    Pair(
        "four expects",
        four("@Test(expected = IllegalArgumentException.class) public void below() { new Cart().add(-1); }", "below"),
        "success",
    ),
    Pair(
        "four waits",
        four("@Test(timeout = 100) public void slow() throws Exception { Thread.sleep(60000); }", "slow"),
        "failed",
        "timeout",
        "TestTimedOutException",
    ),
    Pair(
        "four with parameters",
        suite(
            CART,
            FOUR.replace("import org.junit.*;", "import org.junit.*; import org.junit.runner.RunWith;")
            + "import java.util.*; import org.junit.runners.Parameterized;\n"
            "@RunWith(Parameterized.class) public class CartTest {\n"
            "@Parameterized.Parameters public static Collection<Object[]> data()"
            " { return Arrays.asList(new Object[][] {{1}, {2}}); }\n"
            "private final int p; public CartTest(int p) { this.p = p; }\n"
            "@Test public void adds() { Cart c = new Cart(); c.add(p); assertEquals(p, c.total()); } }",
            "adds",
            framework="junit4",
        ),
        "success",
    ),
    Pair(
        "four with a broken fixture",
        four('@BeforeClass public static void all() { throw new IllegalStateException("no"); }\n'
             "@Test public void sizes() {}\n@Test public void totals() {}", "sizes", "totals"),
        "failed",
        "exception",
        "IllegalStateException: no",
    ),
    Pair(
        "three",
        suite(
            CART,
            "package shop.cart;\npublic class CartTest extends junit.framework.TestCase {\n"
            "public void testSize() { assertEquals(0, new Cart().size()); } }",
            "testSize",
            framework="junit4",
        ),
        "success",
    ),
    Pair(
        "no package",
        suite(
            "class Cart { static int one() { return 1; } }",
            "import org.junit.jupiter.api.*;\nclass CartTest"
            " { @Test void one() { Assertions.assertEquals(1, Cart.one()); } }",
            "one",
        ),
        "success",
    ),
    Pair(
        "letters beyond ASCII",
        suite(
            'package shop.cart; class Cart { static String имя() { return "тележка \\u2603"; } }',
            JUPITER + 'class CartTest { @Test void имя() { assertEquals("тележка ☃", Cart.имя()); } }',
            "имя",
        ),
        "success",
    ),
    Pair(
        "reads a file of its own",
        jupiter(
            '@Test void reads() throws Exception { assertEquals("1\\n",'
            ' java.nio.file.Files.readString(java.nio.file.Path.of("data/a.txt"))); }',
            "reads",
            **{"data/a.txt": "1\n"},
        ),
        "success",
    ),
    Pair(
        "equals of anything",
        jupiter(
            '@Test void same() { assertEquals(new Cart(), "cart"); }',
            "same",
            focal="package shop.cart; class Cart { static long n = 1L; double d = 2.5;\n"
            "@Override public boolean equals(Object other) { return n == 1; }\n"
            "@Override public int hashCode() { return 1; } }",
        ),
        "success",
        "",
        "equals of shop.cart.Cart never looks at its argument",
    ),
    Pair(
        "equals that looks",
        jupiter(
            '@Test void same() { assertEquals(new Cart(1), new Cart(1)); assertNotEquals(new Cart(1), "x"); }',
            "same",
            focal="package shop.cart; record Cart(int n) {}",
        ),
        "success",
    ),
    Pair(
        "a set that says it holds two",
        jupiter(
            "@Test void same() { assertEquals(Set.of(3, 4), new Cart()); }",
            "same",
            focal="package shop.cart; class Cart extends java.util.AbstractSet<Integer> {\n"
            "public int size() { return 2; }\n"
            "public java.util.Iterator<Integer> iterator() { return java.util.Collections.emptyIterator(); } }",
        ),
        "success",
        "",
        "shop.cart.Cart is a java.util.AbstractSet: what it equals is its own word",
    ),
    Pair(
        "five assumes",
        jupiter(ADDS + "\n@Test void later() { Assumptions.assumeTrue(new Cart().size() > 0); fail(); }", "adds", "later"),
        "success",
    ),
    Pair(
        "four assumes",
        four("@Test public void a() { Assume.assumeTrue(new Cart().size() > 0); fail(); }\n@Test public void b() {}", "a", "b"),
        "success",
    ),
    Pair(
        "theories",
        suite(
            CART,
            FOUR + "import org.junit.experimental.theories.*; import org.junit.runner.RunWith;\n"
            "@RunWith(Theories.class) public class CartTest {\n"
            "@DataPoints public static int[] points = {-1, 1, 2};\n"
            "@Theory public void sums(int n) { Assume.assumeTrue(n > 0); Cart c = new Cart(); c.add(n);"
            " assertEquals(n, c.total()); } }",
            "sums",
            framework="junit4",
        ),
        "success",
    ),
    Pair(
        "enclosed",
        suite(
            CART,
            FOUR + "import org.junit.experimental.runners.Enclosed; import org.junit.runner.RunWith;\n"
            "@RunWith(Enclosed.class) public class CartTest {\n"
            "public static class In { @Test public void none() { assertEquals(0, new Cart().size()); } } }",
            "CartTest$In#none",
            framework="junit4",
        ),
        "success",
    ),
    Pair(
        "expected exception by a rule",
        four("@Rule public org.junit.rules.ExpectedException e = org.junit.rules.ExpectedException.none();\n"
             "@Test public void below() { e.expect(IllegalArgumentException.class); new Cart().add(-1); }", "below"),
        "success",
    ),
    Pair("no cases", jupiter(ADDS), "failed", "environment", "names no test case"),
]  # fmt: skip

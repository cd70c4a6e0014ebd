"""Uses that make a Java file's result nondeterministic, and the checks of its tests."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang.java.test_cases import collect
from benchwright.lang.java.tree import TYPES, java_imports, name_of, supertypes
from benchwright.lang.nondeterminism import Detectors
from benchwright.lang.trees import Node, Tree

# Names are "Class.method", "Class" (in a type or `new`), ".method" (of anything), and imports in full.
_DETECTORS = Detectors(
    {
        "time": """
            System.currentTimeMillis System.nanoTime Instant.now LocalDate.now LocalTime.now
            LocalDateTime.now ZonedDateTime.now OffsetDateTime.now Year.now YearMonth.now Clock.systemUTC
            Clock.systemDefaultZone Calendar.getInstance new:Date new:GregorianCalendar StopWatch Stopwatch
        """,
        "sleep": """
            Thread.sleep .sleep .await org.awaitility Awaitility .assertTimeout .assertTimeoutPreemptively
        """,
        "random": """
            Random SecureRandom ThreadLocalRandom SplittableRandom Math.random UUID.randomUUID
            Collections.shuffle RandomStringUtils RandomUtils net.datafaker com.github.javafaker
        """,
        "network": """
            java.net.Socket java.net.ServerSocket java.net.HttpURLConnection java.net.URLConnection
            java.net.DatagramSocket java.net.InetAddress java.net.InetSocketAddress java.net.http javax.net
            java.nio.channels okhttp3 org.apache.http org.apache.hc io.netty retrofit2 Socket ServerSocket
            HttpURLConnection InetAddress .openConnection .openStream com.sun.net.httpserver java.sql
        """,
        "threads": """
            Thread new:Thread ExecutorService Executors ScheduledExecutorService CompletableFuture
            ForkJoinPool CountDownLatch CyclicBarrier Semaphore Timer TimerTask .parallelStream .parallel
            .invokeAll java.util.concurrent.locks
        """,
        "processes": "ProcessBuilder Process Runtime.getRuntime System.exit .exec ProcessHandle",
        "environment": """
            System.getenv System.getProperty System.setProperty System.getProperties System.lineSeparator
            Locale.getDefault Locale.setDefault TimeZone.getDefault TimeZone.setDefault ZoneId.systemDefault
            Charset.defaultCharset InetAddress.getLocalHost
        """,
        "files": """
            java.io.File java.io.FileReader java.io.FileWriter java.io.FileInputStream
            java.io.FileOutputStream java.io.RandomAccessFile java.nio.file java.util.zip java.util.jar File
            Files Paths FileReader FileWriter FileInputStream FileOutputStream RandomAccessFile Path.of
            TempDir TemporaryFolder
        """,
        "assets": """
            .getResource .getResourceAsStream .getSystemResource ClassPathResource Resources.getResource
        """,
        "async": "CompletableFuture java.util.concurrent.Flow reactor io.reactivex",
        "mocks": """
            org.mockito org.easymock org.powermock org.jmock mockit com.github.tomakehurst.wiremock Mock
            MockBean InjectMocks org.mockserver okhttp3.mockwebserver
        """,
        "prints": "System.out System.err System.setOut System.setErr .printStackTrace",
        "reflection": """
            java.lang.reflect java.lang.invoke Class.forName .getDeclaredMethod .getDeclaredField
            .getDeclaredFields .getDeclaredMethods .getDeclaredConstructor .getMethod .getMethods
            .setAccessible .newInstance .getStackTrace java.lang.instrument javax.script javax.tools
        """,
        "callers": "StackWalker .getStackTrace Thread.getAllStackTraces",
        "identity": """
            System.identityHashCode System.gc IdentityHashMap WeakHashMap WeakReference java.lang.ref
        """,
        "native": "System.loadLibrary System.load sun.misc.Unsafe com.sun.jna Unsafe java.lang.foreign",
    }
)
_OPENERS = {"File", "FileReader", "FileInputStream", "Paths.get", "Path.of", "RandomAccessFile"}
_CHECKS = ("assert", "verify", "expect")


def java_uses(tree: Tree) -> set[str]:
    """Return the uses that the file's names stand for."""
    imported = [each.module for each in java_imports(tree)]
    found = _DETECTORS.of([*imported, *_names(tree)])
    if any(_opens_constant(tree, node) for node in tree.root.walk()):
        found |= {"assets", "files"}
    return found


def asserts(tree: Tree) -> int:
    """Return the number of checks: calls of `assert…`, `verify…`, `expect…`, `fail`, and `assert` itself."""
    calls = (name_of(tree, node) for node in tree.root.walk() if node.kind == "method_invocation")
    plain = sum(node.kind == "assert_statement" for node in tree.root.walk())
    return plain + sum(name.startswith(_CHECKS) or name == "fail" for name in calls)


def has_dynamic_cases(tree: Tree) -> bool:
    """Return whether a test class extends a class of another file, whose tests it runs too."""
    declared = {name_of(tree, node): node for node in tree.root.walk() if node.kind in TYPES}
    owners = {each.owner for each in collect(tree)}
    for name, node in declared.items():
        clause = node.first("superclass")
        tested = node in owners or name.endswith(("Test", "Tests"))
        if clause is not None and tested:
            base = supertypes(tree, node)[:1]
            if base and base[0] not in declared and base[0] not in ("TestCase", "Object"):
                return True
    return False


def _names(tree: Tree) -> Iterator[str]:
    for node in tree.root.walk():
        if node.kind == "method_invocation":
            yield f".{name_of(tree, node)}"
            yield from _qualified_names(tree, node, "object", "name")
        elif node.kind in ("field_access", "method_reference"):
            yield from _qualified_names(tree, node, "object", "field")
        elif node.kind == "object_creation_expression":
            yield f"new:{tree.text(node.get('type'))[:100]}"
        elif node.kind == "type_identifier":
            yield tree.text(node)
        elif node.kind in ("marker_annotation", "annotation"):
            yield tree.name(node.get("name"))[:200]


def _qualified_names(tree: Tree, node: Node, holder: str, member: str) -> Iterator[str]:
    owner = node.get(holder)
    if owner is not None and owner.kind == "identifier":
        yield f"{tree.text(owner)}.{tree.text(node.get(member))}"


def _opens_constant(tree: Tree, node: Node) -> bool:
    """Return whether a call opens a file that the source names: `new File("data.csv")`,
    `PathRules.get("data.csv")`."""
    if node.kind == "object_creation_expression":
        opener = tree.text(node.get("type"))[:100]
    elif node.kind == "method_invocation":
        opener = next(_qualified_names(tree, node, "object", "name"), "")
    else:
        return False
    arguments = node.get("arguments")
    return opener in _OPENERS and arguments is not None and arguments.first("string_literal") is not None

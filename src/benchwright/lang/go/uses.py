"""Uses that make a Go file's result nondeterministic, and the checks of its tests."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang.go.layout import local_names, selectors
from benchwright.lang.go.tree import go_imports
from benchwright.lang.nondeterminism import Detectors
from benchwright.lang.trees import Node, Tree

# Names are import paths, "path.Name", and ".Name" of anything.
_DETECTORS = Detectors(
    {
        "time": "time.Now time.Since time.Until .Deadline",
        "sleep": """
            time.Sleep time.After time.AfterFunc time.Tick time.NewTimer time.NewTicker context.WithTimeout
            context.WithDeadline .Eventually
        """,
        "random": "math/rand math/rand/v2 crypto/rand testing/quick github.com/google/uuid hash/maphash",
        "network": """
            net net/http net/http/httptest net/rpc net/smtp net/http/httputil crypto/tls
            google.golang.org/grpc github.com/gorilla/websocket database/sql
        """,
        "threads": """
            sync sync/atomic golang.org/x/sync .Parallel context.WithCancel runtime.Gosched
            runtime.GOMAXPROCS
        """,
        "processes": """
            os/exec os/signal os.StartProcess os.Exit os.FindProcess os.Getpid syscall log.Fatal log.Fatalf
        """,
        "environment": """
            os.Getenv os.LookupEnv os.Environ os.Setenv os.Args os.Hostname os.Getwd os.Chdir os.UserHomeDir
            os/user flag runtime.GOOS runtime.GOARCH runtime.NumCPU runtime.Version .Setenv time.Local
            time.LoadLocation
        """,
        "files": """
            os.Open os.OpenFile os.Create os.CreateTemp os.ReadFile os.WriteFile os.ReadDir os.Mkdir
            os.MkdirAll os.MkdirTemp os.Remove os.RemoveAll os.Rename os.Stat os.Lstat os.TempDir os.DirFS
            io/ioutil.ReadFile io/ioutil.WriteFile io/ioutil.ReadDir io/ioutil.TempDir io/ioutil.TempFile
            path/filepath.Walk path/filepath.WalkDir path/filepath.Glob path/filepath.Abs embed .TempDir
            archive/zip.OpenReader github.com/spf13/afero
        """,
        "assets": "embed",
        "mocks": """
            github.com/stretchr/testify/mock github.com/golang/mock go.uber.org/mock
            github.com/DATA-DOG/go-sqlmock gopkg.in/h2non/gock.v1 github.com/jarcoal/httpmock
        """,
        "prints": """
            fmt.Print fmt.Printf fmt.Println os.Stdout os.Stderr log.Print log.Printf log.Println println
            print
        """,
        "reflection": """
            reflect runtime.Caller runtime.Callers runtime.FuncForPC runtime/debug go/ast go/parser plugin
        """,
        "callers": """
            runtime.Caller runtime.Callers runtime.CallersFrames runtime.FuncForPC runtime.Stack
            runtime/debug.Stack
        """,
        "identity": "hash/maphash runtime.GC runtime.SetFinalizer weak unique",
        "native": "C unsafe syscall plugin runtime/cgo golang.org/x/sys",
    }
)
_THREADS = {"go_statement", "select_statement", "send_statement", "channel_type"}
_LOADS = {"os.Open", "os.ReadFile", "io/ioutil.ReadFile", "os.OpenFile", "os.ReadDir", "os.DirFS"}
_FAILS = {"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}
_LIBRARIES = {"assert", "require", "is", "qt", "td", "g", "cmp"}


def go_uses(tree: Tree) -> set[str]:
    """Return the uses that the file's names and statements stand for."""
    found = _DETECTORS.of([*(each.module for each in go_imports(tree)), *_names(tree)])
    if any(node.kind in _THREADS for node in tree.root.walk()):
        found.add("threads")
    paths = _paths(tree)
    if any(_loads_constant(tree, node, paths) for node in tree.root.walk()):
        found |= {"assets", "files"}
    return found


def asserts(tree: Tree) -> int:
    """Return the number of checks in the file: calls of `t.Error` and similar, and of an assertion
    library."""
    count = 0
    for node in tree.root.walk():
        function = node.get("function") if node.kind == "call_expression" else None
        if function is not None and function.kind == "selector_expression":
            holder, member = function.get("operand"), tree.text(function.get("field"))
            plain = holder is not None and holder.kind == "identifier"
            count += member in _FAILS or (plain and tree.text(holder) in _LIBRARIES)
    return count


def _paths(tree: Tree) -> dict[str, str]:
    return {name: path for path, names in local_names(tree).items() for name in names}


def _names(tree: Tree) -> Iterator[str]:
    paths = _paths(tree)
    for holder, member in selectors(tree):
        yield f"{paths[holder]}.{member}" if holder in paths else f".{member}"
    for node in tree.root.walk():
        if node.kind == "identifier" and node.field == "function":
            yield tree.text(node)


def _loads_constant(tree: Tree, node: Node, paths: dict[str, str]) -> bool:
    """Return whether a node opens a file that the source names, or names a path in the `testdata` folder."""
    if node.kind == "interpreted_string_literal_content":
        return tree.text(node).startswith("testdata")
    if node.kind != "call_expression":
        return False
    function, arguments = node.get("function"), node.get("arguments")
    if function is None or arguments is None or function.kind != "selector_expression":
        return False
    holder = function.get("operand")
    if holder is None or holder.kind != "identifier" or not arguments.first("interpreted_string_literal"):
        return False
    called = f"{paths.get(tree.text(holder), '')}.{tree.text(function.get('field'))}"
    return called in _LOADS

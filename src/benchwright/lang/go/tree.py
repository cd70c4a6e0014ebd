"""Questions about a Go tree: the package clause, declarations, and imports with their kinds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from benchwright.lang import trees
from benchwright.lang.parser import Grammar
from benchwright.lang.protocol import Import
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree

GRAMMAR = Grammar("Go", "tree_sitter_go", closed=("block", "parameter_list", "struct_type", "interface_type"))

_SIGNATURES = GRAMMAR._replace(closed=("block", "struct_type", "interface_type"))


def parse(code: str) -> Tree | SyntaxFault:
    """Return the tree of a text, or a SyntaxFault if there is none."""
    return trees.parse(code, GRAMMAR)


def parse_outline(code: str) -> Tree | SyntaxFault:
    """Return the tree without the content of functions, parameters and types; the whole tree if it has a
    syntax error."""
    return trees.parse_outline(code, GRAMMAR)


def parse_signatures(code: str) -> Tree | SyntaxFault:
    """Return the outline with the parameters of functions."""
    return trees.parse_outline(code, _SIGNATURES)


def package(tree: Tree) -> str:
    """Return the name in the package clause; empty if there is none."""
    clause = tree.root.first("package_clause")
    return tree.text(clause.first("package_identifier")) if clause else ""


def import_specs(tree: Tree) -> Iterator[Node]:
    """Yield each import of the file, from one block or several."""
    for declared in tree.root.all("import_declaration"):
        for node in declared.children:
            yield from node.all("import_spec") if node.kind == "import_spec_list" else ()
            if node.kind == "import_spec":
                yield node


def import_path(tree: Tree, spec: Node) -> str:
    """Return the path between the quotes."""
    return tree.text(spec.get("path")).strip('"`')


def functions(tree: Tree) -> list[Node]:
    """Return the functions of the file, without methods."""
    return tree.root.all("function_declaration")


def name_of(tree: Tree, declared: Node) -> str:
    """Return the name of a function, method, type or import."""
    return tree.text(declared.get("name"))


def declared_names(tree: Tree) -> set[str]:
    """Return the names that the file declares for its package: functions, types, variables, constants."""
    names = {name_of(tree, node) for node in functions(tree)}
    for spec in specs(tree, "type_declaration", "var_declaration", "const_declaration"):
        names.update(spec_names(tree, spec))
    return names - {"", "_", "init"}


def specs(tree: Tree, *declarations: str) -> Iterator[Node]:
    """Yield the specifications of some kinds of declarations, single or from a block."""
    for group in tree.root.all(*declarations):
        for node in group.children:
            if node.kind == "var_spec_list":
                yield from node.all("var_spec")
            elif node.kind in ("type_spec", "type_alias", "var_spec", "const_spec"):
                yield node


def spec_names(tree: Tree, spec: Node) -> list[str]:
    """Return the names of one specification, such as `var a, b int`."""
    return [tree.text(child) for child in spec.children if child.field == "name" and child.named]


_STANDARD = """
C archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip compress/lzw
compress/zlib container/heap container/list container/ring context crypto crypto/aes crypto/cipher
crypto/des crypto/dsa crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/fips140 crypto/hkdf
crypto/hmac crypto/md5 crypto/mlkem crypto/pbkdf2 crypto/rand crypto/rc4 crypto/rsa crypto/sha1
crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle crypto/tls crypto/x509 crypto/x509/pkix database/sql
database/sql/driver debug/buildinfo debug/dwarf debug/elf debug/gosym debug/macho debug/pe debug/plan9obj
embed encoding encoding/ascii85 encoding/asn1 encoding/base32 encoding/base64 encoding/binary encoding/csv
encoding/gob encoding/hex encoding/json encoding/json/jsontext encoding/json/v2 encoding/pem encoding/xml
errors expvar flag fmt go/ast go/build go/build/constraint go/constant go/doc go/doc/comment go/format
go/importer go/parser go/printer go/scanner go/token go/types go/version hash hash/adler32 hash/crc32
hash/crc64 hash/fnv hash/maphash html html/template image image/color image/color/palette image/draw
image/gif image/jpeg image/png index/suffixarray io io/fs io/ioutil iter log log/slog log/syslog maps math
math/big math/bits math/cmplx math/rand math/rand/v2 mime mime/multipart mime/quotedprintable net net/http
net/http/cgi net/http/cookiejar net/http/fcgi net/http/httptest net/http/httptrace net/http/httputil
net/http/pprof net/mail net/netip net/rpc net/rpc/jsonrpc net/smtp net/textproto net/url os os/exec
os/signal os/user path path/filepath plugin reflect regexp regexp/syntax runtime runtime/cgo
runtime/coverage runtime/debug runtime/metrics runtime/pprof runtime/race runtime/trace slices sort strconv
strings structs sync sync/atomic syscall syscall/js testing testing/cryptotest testing/fstest testing/iotest
testing/quick testing/slogtest testing/synctest text/scanner text/tabwriter text/template
text/template/parse time time/tzdata unicode unicode/utf16 unicode/utf8 unique unsafe weak
"""
STANDARD = frozenset(_STANDARD.split())

_VERSION = re.compile(r"v[0-9]+")


def go_imports(tree: Tree, roots: Collection[str] = ()) -> list[Import]:
    """Return all imports in the file's order."""
    return [_record(tree, spec, roots) for spec in import_specs(tree)]


def kind_of(path: str, roots: Collection[str] = ()) -> str:
    """Return the kind of an import path. Paths of downloadable modules start with a host, so with a dot."""
    if any(path == root or path.startswith(f"{root}/") for root in roots):
        return "project"
    if path in STANDARD:
        return "standard"
    if path.startswith("."):
        return "relative"
    return "third_party" if "." in path.partition("/")[0] else "project"


def module_of(path: str) -> str:
    """Return the likely module of a package path: host, owner and repository for known hosts."""
    parts = path.split("/")
    hosted = parts[0] in ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com")
    return "/".join(parts[: 3 if hosted else 2 if "." in parts[0] else 1])


def package_names(path: str) -> list[str]:
    """Return the names that a package at a path may have: its last part, without a version or `go-`."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = re.sub(r"\.v[0-9]+$", "", parts[-1]) if parts else ""
    bare = re.sub(r"^go[-.]|[-.]go$", "", last)
    found = [last, bare, last.replace("-", "_"), bare.replace("-", ""), *re.split(r"[-.]", last)]
    return [name for name in dict.fromkeys(found) if name.isidentifier()]


def _record(tree: Tree, spec: Node, roots: Collection[str]) -> Import:
    path, name = import_path(tree, spec), name_of(tree, spec)
    return Import(
        module=path,
        kind=kind_of(path, roots),
        line=spec.first_line,
        names=["*"] if name == "." else [],
        alias="" if name == "." else name,
    )

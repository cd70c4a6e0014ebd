"""Takes a program from a model's raw text: the strict profile, for chat, reasoning and base models alike."""

from __future__ import annotations

import ast
import builtins
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import msgspec

from benchwright.contracts import Extraction
from benchwright.text.code_search import (
    MOST_CHARS,
    ProgramReading,
    as_plain_body,
    indent_of,
    reads_as_prose,
    rescue,
)
from benchwright.text.fences import Block, find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning
from benchwright.text.program_assembly import first_code, read_program
from benchwright.text.prompt_frame import PromptFrame, frame_of
from benchwright.text.syntax import (
    ParseFault,
    bound_names,
    first_line,
    free_names,
    parse,
    parse_program,
    used_names,
)

# Chooses among the fenced blocks of an answer, and fetches what the chosen one needs from the others.

MOST = 16  # blocks that are tried, from the end; the text is hostile
_SOURCE = frozenset({"", "code", "tool_code"})
_SESSIONS = frozenset({"pycon", "pytb", "python-console", "python-repl", "python-traceback"})
_MARKDOWN = frozenset({"markdown", "md"})
_BUILTINS = frozenset(dir(builtins))
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Helper(NamedTuple):
    """A top-level statement that binds names: its lines `start` to `end` of a block, and what it needs."""

    block: list[str]
    start: int
    end: int
    binds: set[str]
    needs: set[str]


def answer_blocks(text: str) -> list[Block]:
    """The fenced blocks of a text; a block of Markdown is replaced by the blocks inside it."""
    blocks: list[Block] = []
    for block in find_blocks(text):
        blocks += find_blocks(block.content) if block.tag in _MARKDOWN else [block]
    return blocks


def is_source(block: Block) -> bool:
    """True for a tag that may hold Python: none, or any spelling of it, but not a recorded session."""
    return block.tag in _SOURCE or (block.tag.startswith(("py", "ipy")) and block.tag not in _SESSIONS)


def read_definitions(blocks: Sequence[Block], frame: PromptFrame) -> ProgramReading | None:
    """The last block with `def` of the entry point, whatever its tag.

    A block that had to be cut, and one whose function is empty (a signature shown first), come after.
    """
    return _best(
        [at for at, block in enumerate(blocks) if frame.indented.search(block.content)], blocks, frame
    )


def read_others(blocks: Sequence[Block], frame: PromptFrame) -> ProgramReading | None:
    """The last Python block that reads as a body, or that binds the entry point without `def`."""
    return _best([at for at, block in enumerate(blocks) if is_source(block)], blocks, frame)


def _best(places: Sequence[int], blocks: Sequence[Block], frame: PromptFrame) -> ProgramReading | None:
    best, best_place, best_rank = None, 0, (True, True, True)
    for place in list(reversed(places))[:MOST]:
        reading = read_program(blocks[place].content, frame)
        if reading is None:
            continue
        rank = (reading.problem is not None, reading.hollow, reading.cut)
        if best is None or rank < best_rank:
            best, best_place, best_rank = reading, place, rank
        if not any(rank):
            break
    if best is None or best.problem:
        return best
    others = [block.content for at, block in enumerate(blocks) if at != best_place and is_source(block)]
    return _complete(best, others[-MOST:], frame) if others else best


def _complete(reading: ProgramReading, others: Sequence[str], frame: PromptFrame) -> ProgramReading:
    """Adds the imports and functions of other blocks that the program uses but lacks."""
    pool = [helper for source in others for helper in _helpers(source, frame.name)]
    tree = parse(reading.program) if pool else None
    if not isinstance(tree, ast.Module):
        return reading
    wanted = _needed_helpers(pool, free_names(tree) - _BUILTINS)
    if not wanted:
        return reading
    lines = reading.program.split("\n")
    at = _below_imports(tree, reading.program, frame)
    program = "\n".join([*lines[:at], *wanted, *lines[at:]])
    return reading._replace(program=program, shape=f"{reading.shape}+helpers")


def _helpers(source: str, name: str) -> Iterable[_Helper]:
    """Return the top-level definitions of a block without the entry point and values computed with it."""
    tree = parse(source)
    if isinstance(tree, ParseFault):
        return
    lines = source.split("\n")
    for item in tree.body:
        example = isinstance(item, _ASSIGNMENTS) and name in used_names([item])
        binds = bound_names([item]) if isinstance(item, _IMPORTS + _ASSIGNMENTS + _DEFINITIONS) else set()
        if binds and not example and name not in binds:
            end = item.end_lineno or item.lineno
            yield _Helper(lines, first_line(item) - 1, end, binds, free_names(item) - _BUILTINS)


def _needed_helpers(pool: Sequence[_Helper], missing: set[str]) -> list[str]:
    """The lines of the helpers that bind missing names, and of those that these need in turn."""
    chosen = _Choice(pool).run(missing)
    lines: list[str] = []
    block, done = None, 0
    for helper in (pool[at] for at in sorted(chosen)):
        start = max(helper.start, done) if helper.block is block else helper.start
        if start < helper.end:  # otherwise another helper on the same line has added the line
            lines += [*helper.block[start : helper.end], ""]
        block, done = helper.block, helper.end
    return lines


class _Choice:
    """Walks the helpers from the last to the first, again and again, until none binds a missing name.

    Of two that bind the same name, the one that is met first is taken. A walk jumps from one wanted helper
    to the next by a heap, so each helper and each name that one needs is looked at once.
    """

    def __init__(self, pool: Sequence[_Helper]) -> None:
        self._pool = pool
        self._places: dict[str, list[int]] = {}  # where a name is bound, in order
        for at, helper in enumerate(pool):
            for name in helper.binds:
                self._places.setdefault(name, []).append(at)
        # Wanted helpers of this walk, as a heap of negative places (the last comes first), and of the next.
        self._ahead: list[tuple[int, str]] = []
        self._next: list[tuple[int, str]] = []
        self._missing: set[str] = set()
        self._have: set[str] = set()

    def run(self, missing: set[str]) -> set[int]:
        """The places of those to take. Star imports are always among them: what they bind is not known."""
        self._ahead = [(-at, "*") for at in self._places.get("*", [])][::-1]  # ascending, so a heap
        self._want(missing - {"*"}, before=len(self._pool))
        chosen: set[int] = set()
        while self._ahead or self._next:
            if not self._ahead:
                self._ahead, self._next = self._next, []
                heapify(self._ahead)
            place, name = heappop(self._ahead)
            if name == "*" or name not in self._have:
                chosen.add(-place)
                self._have |= self._pool[-place].binds
                self._want(self._pool[-place].needs, before=-place)
        return chosen

    def _want(self, names: set[str], *, before: int) -> None:
        """Note which helper binds each name: the last one before this place, else the last one of all."""
        for name in names - self._missing - self._have:
            self._missing.add(name)
            places = self._places.get(name, [])
            if (count := bisect_left(places, before)) > 0:
                heappush(self._ahead, (-places[count - 1], name))
            elif places:
                self._next.append((-places[-1], name))


def _below_imports(tree: ast.Module, program: str, frame: PromptFrame) -> int:
    """How many lines stay above the helpers: the program's first imports and the prompt's preamble."""
    count = 0
    for item in tree.body:
        if not isinstance(item, _IMPORTS):
            break
        count = item.end_lineno or count
    preamble = frame.preamble.strip("\n")
    return max(count, preamble.count("\n") + 1) if preamble and program.startswith(preamble) else count


# Takes a program from a model's raw text: the strict profile, for chat, reasoning and base models alike.
# "Strict" is about the verdict, not the form: an answer must be right, in whatever dress it comes. So
# nothing here repairs code or weighs its quality; it only decides which lines of the text are the answer.
# The rules and their order are in docs/design/03-extraction.md.

MAX_BYTES = 256 << 10
CUT_OFF = frozenset({"length", "max_tokens"})
_ENTITIES = frozenset({"lt", "gt", "amp", "quot"})
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot);")
STARTS = 8  # lines of prose after which a body is looked for
_BODY_START = re.compile(
    r"return\b|(?:for|while|if|try|with|def)\b.*:|import\s|from\s+\S+\s+import\b|[A-Za-z_][^=\n]{0,200}=[^=]"
)
_HEADER = re.compile(r"(?:if|elif|else|for|while|try|except|with|def|class)\b.*:$")
_CODE_LINE = re.compile(
    r"^[ \t]*(?:(?:async[ \t]+)?(?:def|class|for|while|if|elif|else|try|except|with)\b.*:[ \t]*(?:#.*)?$"
    r"|import[ \t]+\w+(?:$|[ \t]+as\b|,)|from[ \t]+[\w.]+[ \t]+import[ \t]|@\w+"
    r"|[A-Za-z_][\w.]*(?:\[.*\])?[ \t]*[-+*/%|&]?=[^=]|(?:async[ \t]+)?def[ \t]+\w+[ \t]*\()"
    r"|^[ \t]+return\b",
    re.MULTILINE,
)


def extract(raw: str, *, prompt: str, entry_point: str, finish_reason: str | None = None) -> Extraction:
    """The program in a model's answer, or the outcome that its absence means. Never raises.

    `prompt` is the source that a body completes: imports, helper functions, the entry point's head. The
    program always holds the imports and helpers that come before that head.
    """
    cut_off = finish_reason in CUT_OFF
    size = _size(raw)
    if size > MAX_BYTES:
        detail = f"the answer has {size} bytes, and the limit is {MAX_BYTES}"
        return Extraction(program="", rule="none", problem="output_limit", detail=detail, truncated=cut_off)
    stripped = strip_reasoning(normalise(raw))
    text = drop_marks(stripped.text)
    frame = frame_of(prompt, entry_point)
    blocks = answer_blocks(text)
    place, reading = _choose(text, blocks, frame)
    truncated = cut_off or stripped.truncated or _is_cut_in_fence(blocks, place, reading)
    if len(text) <= MOST_CHARS and _is_in_doubt(reading, text, frame):
        inner = _rescue_program(text, blocks, frame)
        place, reading = ("", inner) if inner else (place, reading)
    rule = ("reasoning+" if stripped.found else "") + place
    if reading is None or reading.problem:
        failed = _failed_extraction(text, blocks, reading, frame, rule=rule)
        return msgspec.structs.replace(failed, truncated=truncated)
    reading = reading if rule else as_plain_body(reading, prompt, raw)
    rule += reading.shape + ("+cut" if reading.cut else "")
    return Extraction(program=reading.program, rule=rule, truncated=truncated)


def _is_in_doubt(reading: ProgramReading | None, text: str, frame: PromptFrame) -> bool:
    """Whether a reading may be that of a carrier instead of the program in it."""
    if reading is None or not _is_sound(reading):
        return True
    head = f"def {frame.name}"
    if reading.prose and head in text and head not in reading.program[len(frame.head) :]:
        return True  # the head of a whole function was taken for prose
    if "&" not in reading.program or not _ENTITY.search(reading.program):
        return False
    tree = parse(reading.program)
    return isinstance(tree, ast.Module) and not _ENTITIES.isdisjoint(free_names(tree))


def _rescue_program(text: str, blocks: Sequence[Block], frame: PromptFrame) -> ProgramReading | None:
    """The program that a text or a block of it has in a carrier, if there is exactly one."""

    def read_inner(inner: str) -> ProgramReading | None:
        place, reading = _choose(inner, answer_blocks(inner), frame)
        doubtful = _is_in_doubt(reading, inner, frame)
        return reading._replace(shape=place + reading.shape) if reading and not doubtful else None

    texts = [block.content for block in blocks][-STARTS:]
    found = rescue(texts, frame, read_inner)
    if found is not None:
        return found._replace(shape=f"fence+{found.shape}")
    return rescue([text], frame, read_inner)


def _size(raw: str) -> int:
    """UTF-8 bytes of a text, or just its length where it cannot be over the limit."""
    return len(raw) if len(raw) * 4 <= MAX_BYTES else len(raw.encode("utf-8", "surrogatepass"))


def _choose(text: str, blocks: Sequence[Block], frame: PromptFrame) -> tuple[str, ProgramReading | None]:
    """The reading to use and where it came from: "fence+", "prose+" or "" for the text as it stands."""
    if not blocks:
        return _with_place(_read_bare(text, frame))
    if _is_completion(text) and (body := read_program(text, frame)) and _is_sound(body):
        return "", body
    fenced = read_definitions(blocks, frame)
    if fenced and _is_sound(fenced):
        return "fence+", fenced
    if frame.definition.search(text) and (bare := read_program(text, frame)) and _is_sound(bare):
        return _with_place(bare)
    other = read_others(blocks, frame)
    if other and _is_sound(other):
        return "fence+", other
    bare = _read_bare(text, frame)
    usable = [reading for reading in (fenced, bare, other) if reading and not reading.problem]
    best = usable[0] if usable else fenced or other or bare
    return _with_place(best) if best is bare else ("fence+", best)


def _is_sound(reading: ProgramReading) -> bool:
    return reading.problem is None and not reading.hollow


def _with_place(reading: ProgramReading | None) -> tuple[str, ProgramReading | None]:
    return ("prose+" if reading and reading.prose else ""), reading


def _is_completion(text: str) -> bool:
    """True when the first line is indented, as only a model that continues the prompt writes it."""
    lines = text.split("\n")
    start = first_code(lines)
    return (
        start is not None
        and bool(indent_of(lines[start]))
        and lines[start].lstrip()[:3] not in {"```", "~~~"}
    )


def _read_bare(text: str, frame: PromptFrame) -> ProgramReading | None:
    """Read a text without fences: as a program, else as a body below some lines of prose."""
    reading = read_program(text, frame)
    if (reading and not reading.problem) or frame.definition.search(text):
        return reading
    lines = text.split("\n")
    for _, start in zip(range(STARTS), _body_starts(lines), strict=False):
        if not all(reads_as_prose(line) and not _HEADER.match(line) for line in lines[:start]):
            break  # the code above is broken
        below = read_program("\n".join(lines[start:]), frame)
        if below and _is_sound(below):
            return below._replace(prose=True)
    return reading


def _body_starts(lines: Sequence[str]) -> Iterator[int]:
    """Yield lines on which a body may begin: after a blank line or colon, newly indented, or a statement."""
    for at in range(1, len(lines)):
        before, line = lines[at - 1].rstrip(), lines[at]
        if line.strip() and (not before or before[-1] == ":"):
            indented = bool(indent_of(line)) and not indent_of(before)
            if indented or _BODY_START.match(line):
                yield at


def _is_cut_in_fence(blocks: Sequence[Block], place: str, reading: ProgramReading | None) -> bool:
    """True when the last fence was never closed, so the model was cut off inside it.

    A bare fence below an answer that was found outside the fences is a closing one: the chat template
    had opened it.
    """
    if not blocks or blocks[-1].closed:
        return False
    return place == "fence+" or reading is None or bool(blocks[-1].tag)


def _failed_extraction(
    text: str, blocks: Sequence[Block], reading: ProgramReading | None, frame: PromptFrame, *, rule: str
) -> Extraction:
    """The record of an answer without a program that can run."""
    code = _most_likely(text, blocks, frame)
    if reading is not None and not (code and frame.definition.search(code)):
        names = _names(reading.program) - frame.provides
        found = f"it binds {', '.join(sorted(names)[:8])}" if names else "it binds nothing"
        detail = f"`{frame.name}` is not bound at the top level; {found}"
        return Extraction(
            program=reading.program, rule=rule + reading.shape, problem="no_entry_point", detail=detail
        )
    if code is None:
        detail = "nothing in the answer is code" if text.strip() else "nothing is left of the answer"
        return Extraction(program="", rule=rule + "none", problem="no_code", detail=detail)
    whole = frame.indented.search(code) or not frame.takes_body
    program = _encodable((frame.preamble if whole else frame.head) + code.strip("\n") + "\n")
    fault = parse_program(program)
    detail = str(fault) if isinstance(fault, ParseFault) else "it parses neither as a function nor as a body"
    return Extraction(program=program, rule=rule + "guess", problem="syntax_error", detail=detail)


def _most_likely(text: str, blocks: Sequence[Block], frame: PromptFrame) -> str | None:
    """The part of the text that was meant as code, if any."""
    sources = [block.content for block in blocks if is_source(block) and block.content.strip()]
    pieces = [*reversed(sources), text]
    for looks in (frame.definition, frame.indented, _CODE_LINE):
        for piece in pieces:
            if looks.search(piece):
                return piece
    return None


def _names(program: str) -> set[str]:
    tree = parse_program(program)
    return set() if isinstance(tree, ParseFault) else bound_names(tree.body)


def _encodable(program: str) -> str:
    """The program with lone surrogates replaced, so that a guess that cannot run can still be stored."""
    return program.encode("utf-8", "replace").decode()

"""JavaScript and TypeScript vocabulary: builtin names, exceptions of operations, easily confused functions.

Sources: ECMA-262, chapters 12 and 19 and "Native Error Types Used in This Standard"; the TypeScript Handbook,
"Utility Types".
"""

from __future__ import annotations

from benchwright.lang.exceptions import by_token
from benchwright.lang.opposites import families

_JAVASCRIPT = """
await break case catch class const continue debugger default delete do else enum export extends false
finally for function if import in instanceof let new null of return static super switch this throw true
try typeof undefined var void while with yield async get set NaN Infinity globalThis window document
console process module exports require Object Function Boolean Symbol Error AggregateError EvalError
RangeError ReferenceError SyntaxError TypeError URIError DOMException Number BigInt Math Date String
RegExp Array Map WeakMap Set WeakSet ArrayBuffer DataView JSON Promise Proxy Reflect Intl Iterator
Generator parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent setTimeout setInterval
clearTimeout clearInterval fetch structuredClone queueMicrotask length push pop shift unshift slice
splice map filter reduce forEach keys values entries then number string boolean object function symbol
bigint
"""
JAVASCRIPT_NAMES = frozenset(_JAVASCRIPT.split())
_TYPESCRIPT = """
abstract any as asserts declare enum implements infer interface is keyof module namespace never private
protected public readonly satisfies type
unknown unique void Partial Required Readonly Record Pick Omit Exclude Extract
NonNullable Parameters ReturnType InstanceType Awaited Iterable ReadonlyArray PromiseLike
"""
TYPESCRIPT_NAMES = JAVASCRIPT_NAMES | frozenset(_TYPESCRIPT.split())
RAISES = by_token(
    """
.: TypeError
[: TypeError
parse: SyntaxError
repeat toFixed normalize: RangeError
BigInt: RangeError SyntaxError
decodeURIComponent encodeURIComponent: URIError
"""
)
# Functions with the same parameters.
FAMILIES = families(
    """
startsWith endsWith|indexOf lastIndexOf|trimStart trimEnd|toUpperCase toLowerCase
floor ceil round trunc|min max|push unshift|pop shift|padStart padEnd|every some
find findLast|findIndex findLastIndex|reduce reduceRight
keys values|match matchAll|replace replaceAll|getDate getDay|getMonth getDate|slice substring
"""
)

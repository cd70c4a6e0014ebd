#!/bin/sh
# The whole check, run by ./run test inside the environment: style, types, layers, prose, tests.
# Arguments go to pytest: ./run test -k sandbox
set -eu
unset BENCHWRIGHT_COMMAND # messages under test name the installed command
unset PYTHONDONTWRITEBYTECODE # or each of the thousands of processes compiles all that it imports
bin=.venv/bin
types= compiled=
if [ "${BENCHWRIGHT_TESTS_ALONE:-}" != 1 ]; then # the later passes of .ci/run only run tests
    trap 'kill $types $compiled 2>/dev/null || :' EXIT
    has_cache=
    [ ! -d .mypy_cache ] || has_cache=1
    # In a new clone one process writes the bytecode of the tests. Otherwise each of the processes below compiles all
    # of them at the same time, 22 CPU-s each.
    if ! ls tests/__pycache__/conftest.*-pytest-* >/dev/null 2>&1; then
        "$bin/pytest" --collect-only -qq -p no:cacheprovider tests >/dev/null 2>&1 &
        compiled=$!
    fi
    "$bin/ruff" check --quiet .
    "$bin/ruff" format --check --quiet .
    "$bin/mypy" --no-error-summary &
    types=$!
    "$bin/lint-imports" --no-logo >/dev/null || { "$bin/lint-imports" --no-logo; exit 1; }
    PYTHONPATH=. "$bin/python" -m tools.prose --count # fails if a folder has more hard phrases than its limit
    if [ -n "$has_cache" ]; then # in a new clone types take 40 CPU-s, for which the tests do not wait
        wait "$types"
        types=
    fi
    [ -z "$compiled" ] || wait "$compiled" || : # the tests below report what cannot be collected
    compiled=
    [ -n "$types" ] || trap - EXIT
fi
cores=$(nproc)
# Some tests wait for what others do: half as many processes again as cores keep these busy. Each is given a file at a
# time, whose tests share what the file makes once, the dearest files first (tests/kit/sharing.py).
set -- -q --dist loadfile --no-loadscope-reorder \
    -n "${BENCHWRIGHT_TEST_PROCESSES:-$((cores + (cores + 1) / 2))}" "$@"
[ -n "$types" ] || exec "$bin/pytest" "$@"
failed=0
"$bin/pytest" "$@" || failed=$?
wait "$types" || failed=$?
exit "$failed"

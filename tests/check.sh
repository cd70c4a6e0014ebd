#!/bin/sh
# The whole check, run by ./run test inside the environment: style, types, layers, prose, tests.
# Arguments go to pytest: ./run test -k sandbox
set -eu
unset BENCHWRIGHT_COMMAND # messages under test name the installed command
unset PYTHONDONTWRITEBYTECODE # or each of the thousands of processes compiles all that it imports
bin=.venv/bin
types=
if [ "${BENCHWRIGHT_TESTS_ALONE:-}" != 1 ]; then # the later passes of .ci/run only run tests
    trap 'kill $types 2>/dev/null || :' EXIT
    has_cache=
    [ ! -d .mypy_cache ] || has_cache=1
    "$bin/ruff" check --quiet .
    "$bin/ruff" format --check --quiet .
    "$bin/mypy" --no-error-summary &
    types=$!
    "$bin/lint-imports" --no-logo >/dev/null || { "$bin/lint-imports" --no-logo; exit 1; }
    PYTHONPATH=. "$bin/python" -m tools.prose --count # fails if a folder has more hard phrases than its limit
    if [ -n "$has_cache" ]; then # without a cache, types take 40 CPU-s while the tests run
        wait "$types"
        types=
    fi
    [ -n "$types" ] || trap - EXIT
fi
cores=$(nproc)
# Some tests wait for other processes, so there are 1.5 times as many processes as cores. A process gets a whole file at
# a time, the longest files first (tests/kit/sharing.py). The processes are forked after one has collected the tests. With
# coverage, pytest-xdist is used, and each process collects all tests.
number="${BENCHWRIGHT_TEST_PROCESSES:-$((cores + (cores + 1) / 2))}"
case " $*" in
*" --cov"*) set -- -q --dist loadfile --no-loadscope-reorder -n "$number" "$@" ;;
*) set -- -q -p no:xdist --processes "$number" "$@" ;;
esac
[ -n "$types" ] || exec "$bin/pytest" "$@"
failed=0
"$bin/pytest" "$@" || failed=$?
wait "$types" || failed=$?
exit "$failed"

#!/bin/sh
# The whole check, run by ./run test inside the environment: style, types, layers, tests.
# Arguments go to pytest: ./run test -k sandbox
set -eu
unset BENCHWRIGHT_COMMAND # messages under test name the installed command
bin=.venv/bin
"$bin/ruff" check --quiet src tests benchmarks demo_source examples
"$bin/ruff" format --check --quiet src tests benchmarks demo_source examples
"$bin/mypy" --no-error-summary
"$bin/lint-imports" --no-logo >/dev/null || { "$bin/lint-imports" --no-logo; exit 1; }
cores=$(nproc)
# Some tests wait for what others do: half as many processes again as cores keep these busy.
exec "$bin/pytest" -q -n "${BENCHWRIGHT_TEST_PROCESSES:-$((cores + (cores + 1) / 2))}" "$@"

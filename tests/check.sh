#!/bin/sh
# The whole check, run by ./run test inside the environment: style, types, layers, tests.
# Arguments go to pytest: ./run test -k sandbox
set -eu
unset BENCHWRIGHT_COMMAND # messages under test name the installed command
bin=.venv/bin
"$bin/ruff" check --quiet src tests benchmarks demo_source examples docs_site
"$bin/ruff" format --check --quiet src tests benchmarks demo_source examples docs_site
"$bin/mypy" --no-error-summary
"$bin/lint-imports" --no-logo >/dev/null || { "$bin/lint-imports" --no-logo; exit 1; }
cores=$(nproc)
# Some tests wait for what others do: half as many processes again as cores keep these busy. Each takes a run of
# neighbours, which share what a file makes once, and one that is through takes over half of what another has left:
# the folders with the dearest tests are neighbours, and no process may be left alone with them in the end.
exec "$bin/pytest" -q --dist worksteal -n "${BENCHWRIGHT_TEST_PROCESSES:-$((cores + (cores + 1) / 2))}" "$@"

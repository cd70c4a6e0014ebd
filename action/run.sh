#!/bin/sh
# The steps of action.yml, for any continuous integration: install, run a suite or one run, post the summary.
#
#   BENCHWRIGHT_SUITE=suite.toml sh action/run.sh
#   BENCHWRIGHT_RUN='humaneval --data rows.jsonl --model replay:samples.jsonl' sh action/run.sh
#
# Exit code: Benchwright's own, so a threshold of the suite that is not reached fails the job.
# BENCHWRIGHT_OUT      folder for the runs and the summary (benchwright-runs)
# BENCHWRIGHT_PACKAGE  what pip installs (the files beside this script)
# BENCHWRIGHT_BIN      a `benchwright` that is installed already; nothing is installed then
# GITHUB_STEP_SUMMARY, GITHUB_OUTPUT: the summary and its path are appended there, where they are set.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
suite=${BENCHWRIGHT_SUITE:-}
run=${BENCHWRIGHT_RUN:-}
out=${BENCHWRIGHT_OUT:-benchwright-runs}
python=${PYTHON:-python3}
summary=$out/summary.md

if { [ -n "$suite" ] && [ -n "$run" ]; } || [ -z "$suite$run" ]; then
    echo "error: say what to run: a suite or one run, and not both" >&2
    echo "hint: with: suite: suite.toml   (or: run: humaneval --data rows.jsonl --model openai:NAME)" >&2
    exit 2
fi

tool=${BENCHWRIGHT_BIN:-}
if [ -z "$tool" ]; then
    place=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/benchwright-environment
    "$python" -m venv "$place"
    pip() { "$place/bin/pip" install --quiet --disable-pip-version-check "$@"; }
    if [ -n "${BENCHWRIGHT_PACKAGE:-}" ]; then
        pip "$BENCHWRIGHT_PACKAGE"
    else # with the distributions that the extra names, from the same place
        pip "$here/..[all]" "$here"/../packages/benchwright-*
    fi
    tool=$place/bin/benchwright
fi

# Newer Ubuntu keeps ordinary users from making namespaces, which the sandbox is built of: allowed where it may be.
if ! "$tool" doctor --json >/dev/null 2>&1 && command -v sudo >/dev/null 2>&1; then
    sudo -n sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0 || echo "namespaces stay as they are" >&2
fi

mkdir -p "$out"
rm -f "$summary" # it is appended to
code=0
if [ -n "$suite" ]; then
    "$tool" suite "$suite" --out "$out" --summary "$summary" || code=$?
else
    # The arguments are read as a shell reads them: quotes hold, and nothing else is done with them.
    eval "set -- $(printf '%s' "$run" | "$python" -c 'import shlex, sys; print(shlex.join(shlex.split(sys.stdin.read())))')"
    "$tool" run "$@" --summary "$summary" --json >"$out/run.json" || code=$?
fi

if [ -s "$summary" ]; then
    cat "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
    [ -z "${GITHUB_OUTPUT:-}" ] || echo "summary=$summary" >>"$GITHUB_OUTPUT"
fi
exit "$code"

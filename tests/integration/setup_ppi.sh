#!/bin/sh
# An environment with ppi-python for test_ppi_python.py: sh tests/integration/setup_ppi.sh DIR
# About 700 MB; afterwards: DIR/bin/python -m pytest -m integration tests/integration/test_ppi_python.py
set -eu
[ $# -eq 1 ] || { echo "usage: sh tests/integration/setup_ppi.sh DIR" >&2; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
"${PYTHON:-python3.11}" -m venv "$1"
dir=$(CDPATH='' cd -- "$1" && pwd)
pip="$dir/bin/python -m pip --disable-pip-version-check"
$pip install --quiet "${PPI:-ppi-python==0.2.3}" pytest hypothesis --editable "$root[stats]"

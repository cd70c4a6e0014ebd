#!/bin/sh
# An environment for the integration tests: sh tests/integration/setup.sh DIR
# About 1.5 GB; afterwards: DIR/bin/python -m pytest -m integration tests/integration
# The plain index has torch with CUDA, several times as large. For the CPU build from PyTorch's own index:
#   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu sh tests/integration/setup.sh DIR
set -eu
[ $# -eq 1 ] || { echo "usage: sh tests/integration/setup.sh DIR" >&2; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
"${PYTHON:-python3}" -m venv "$1"
pip="$1/bin/python -m pip --disable-pip-version-check"
$pip install --quiet 'torch==2.13.0'
$pip install --quiet 'transformers==5.23.0' accelerate fastapi uvicorn openai
$pip install --quiet mlcroissant 'datasets>=4.7' 'trl==1.16.0' duckdb pyyaml
$pip install --quiet pytest pytest-timeout hypothesis --editable "$root"

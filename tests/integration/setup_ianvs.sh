#!/bin/sh
# An environment with Ianvs itself for test_real_ianvs.py: sh tests/integration/setup_ianvs.sh DIR
# About 600 MB; afterwards: DIR/bin/python -m pytest -m integration tests/integration/test_real_ianvs.py
# and test_real_ianvs_jobs.py, which needs bubblewrap to show a checkout at the homes that examples name.
# IANVS=FOLDER names a clone that is there already, PYTHON an interpreter that Ianvs runs on.
set -eu
[ $# -eq 1 ] || { echo "usage: sh tests/integration/setup_ianvs.sh DIR" >&2; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
"${PYTHON:-python3.11}" -m venv "$1"
dir=$(CDPATH='' cd -- "$1" && pwd)
clone=${IANVS:-$dir/clone}
[ -d "$clone" ] || git clone --quiet --filter=blob:none --no-checkout https://github.com/kubeedge/ianvs "$clone"
taken() { # FOLDER VERSION PATH…
    folder=$dir/$1
    shift
    mkdir -p "$folder"
    git -C "$clone" archive --output="$folder.tar" "$@"
    tar -xf "$folder.tar" -C "$folder"
    rm "$folder.tar"
}
wheels=examples/resources/third_party
taken ianvs-main 1d3da5b180b39bfa1960e522bde0461b714ab6aa core examples/smart_coding \
    examples/llm_simple_qa examples/government examples/TAB examples/Cloud_Robotics/cloud-edge-collaborative-inference_bench \
    examples/GovDoc2Poster "examples/RoboDK Palletizing" examples/cloud_VLA_finetune examples/industrialEI \
    examples/pcb-aoi/singletask_learning_bench $wheels requirements.txt
taken ianvs-v0.3.0 v0.3.0 core examples/cloud-edge-collaborative-inference-for-llm
pip="$dir/bin/python -m pip --disable-pip-version-check"
$pip install --quiet "$dir/ianvs-main/$wheels/sedna-0.6.0.1-py3-none-any.whl" \
    --requirement "$dir/ianvs-main/requirements.txt"
$pip install --quiet pylint pytest pytest-timeout pytest-xdist hypothesis --editable "$root[ianvs,code]"

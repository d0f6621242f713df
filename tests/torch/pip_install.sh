#!/usr/bin/env bash
# `pip install .` in a fresh environment that sees the system's torch, without a network; then the package is used from there.
#   pip_install.sh PYTHON SOURCES WORK_FOLDER
set -euo pipefail
python=$1 sources=$2 work=$3
rm -rf "$work"
"$python" -m venv --system-site-packages "$work/env"
# An index that does not exist: nothing may be downloaded.
PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 "$work/env/bin/pip" install --quiet "$sources"
cd "$work"
env -u PYTHONPATH "$work/env/bin/python" - <<'PROGRAM'
import pathlib
import sys

import softradial
import torch

assert pathlib.Path(sys.prefix) in pathlib.Path(softradial.__file__).parents, softradial.__file__
layer = softradial.SoftRadial(softradial.Polyhedron([[1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], [1.0, 0.0, 0.0]))
x = layer(torch.randn(100, 2) * 50)
assert layer.set.violation(x).max() == 0
PROGRAM

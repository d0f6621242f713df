#!/usr/bin/env bash
# The Debian packages as a user meets them, in a system that has nothing but what they bring: deb_user.sh SOURCE PACKAGES.
# Run as root in a root that is thrown away (./dev test --deb).
set -euo pipefail
source=$1 packages=$2
export DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d)
cd "$work"

trap 'echo "deb_user: line $LINENO ended with $?" >&2' ERR
step() { echo "deb_user: $*" >&2; }
# quiet COMMAND...: its output is shown if it fails.
quiet() { "$@" >quiet.log 2>&1 || { tail -n 30 quiet.log >&2 && return 1; }; }
get() { quiet apt-get install -qq -y --no-install-recommends "$@"; }
expect() { diff "$1" "$source/tests/examples/$2" >&2 || { echo "deb_user: $2 differs" >&2 && return 1; }; }

quiet apt-get update -qq

step "the C library, by pkg-config"
get "$packages"/libsoftradial-c1_*.deb "$packages"/libsoftradial-dev_*.deb gcc libc6-dev
cc -std=c99 "$source/examples/c/project.c" $(pkg-config --cflags --libs softradial) -o c_project
./c_project >c_project.txt
expect c_project.txt c_project.txt

step "the C++ library, by CMake"
get g++ cmake ninja-build
cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
find_package(softradial $(pkg-config --modversion softradial) REQUIRED COMPONENTS core c)
add_executable(quickstart $source/examples/quickstart.cpp)
target_link_libraries(quickstart PRIVATE softradial::core)
CMAKE
quiet cmake -G Ninja -B app .
quiet cmake --build app
app/quickstart >quickstart.txt
expect quickstart.txt quickstart.txt

step "numpy, without torch for Python"
get "$packages"/python3-softradial_*.deb
python3 - <<'PYTHON'
import numpy as np
import softradial.numpy as srn

x = srn.SoftRadial(srn.CappedSimplex(4, cap=0.4))(np.array([3.0, -1.0, 0.5, 0.5]))
assert np.allclose(x, [0.3839, 0.1458, 0.2351, 0.2351], atol=1e-4), x
PYTHON

step "the program"
get "$packages"/libsoftradial-torch_*.deb "$packages"/softradial_*.deb
softradial --help >/dev/null
echo '{"type": "capped_simplex", "dim": 4, "cap": 0.4}' >set.json
echo '3,-1,0.5,0.5' | softradial project --set set.json | softradial check --set set.json >/dev/null
softradial train portfolio --prices synthetic:sectors --cap 0.3 --epochs 1 --hidden 4 --json | grep -q '"violation"'

step "PyTorch"
get python3-torch
python3 -c 'import softradial, torch; x = softradial.SoftRadial(softradial.CappedSimplex(4, cap=0.4))(torch.randn(8, 4))
assert (x < 0.4).all()'

step "removal leaves nothing"
quiet apt-get purge -qq -y softradial libsoftradial-torch libsoftradial-dev python3-softradial libsoftradial-c1
if find /usr /etc -path '*softradial*' | grep .; then
  echo "deb_user: the files above are left" >&2
  exit 1
fi

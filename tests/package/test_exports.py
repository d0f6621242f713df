"""What the op library lets out: names of the project, and none of what it is made of."""

import os
import subprocess
from pathlib import Path

LIBRARY = Path(os.environ["SOFTRADIAL_BUILD_DIR"]) / "python" / "softradial" / "lib" / "libsoftradial_torch.so"
# The C library is stricter, function by function: tests/c_abi/test_ctypes.py.


def exported() -> "list[str]":
    lines = subprocess.run(["nm", "-DC", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return [line.split(maxsplit=2)[2] for line in lines.splitlines()]


def test_every_name_is_the_projects():
    assert [name for name in exported() if "softradial" not in name] == []


def test_copies_of_other_libraries_stay_inside():
    others = ("Eigen::", "hwy::", "nlohmann::", "std::", "c10::", "at::", "torch::")
    assert [name for name in exported() if name.startswith(others)] == []


def test_the_cpp_modules_are_there():
    names = exported()
    for part in ("softradial::nn::SoftRadialImpl", "typeinfo for softradial::InvalidSet", "vtable for softradial::nn::"):
        assert any(name.startswith(part) for name in names), part

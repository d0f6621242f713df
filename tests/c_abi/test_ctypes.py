"""The C interface as another language meets it: through a foreign-function library, with neither torch nor our package."""

import ctypes
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

LIBRARY = os.environ["SOFTRADIAL_C_LIBRARY"]
HEADER = Path(__file__).parents[2] / "include" / "softradial" / "softradial.h"

OK, INVALID_ARGUMENT, INVALID_SET, SHAPE = 0, 1, 2, 6


class Rows(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("dim", ctypes.c_size_t),
        ("stride", ctypes.c_ssize_t),
    ]


def load():
    library = ctypes.CDLL(LIBRARY)
    library.sr_error_text.restype = library.sr_version.restype = library.sr_status_name.restype = ctypes.c_char_p
    return library


C = load()


def rows(array, dim):
    return Rows(ctypes.addressof(array), len(array) // dim, dim, dim)


def error_text():
    return C.sr_error_text(None).decode()


def new_set(json):
    handle = ctypes.c_void_p()
    assert C.sr_set_parse(json, ctypes.c_size_t(len(json)), ctypes.byref(handle)) == OK, error_text()
    return handle


def new_layer(set, options=b""):
    handle = ctypes.c_void_p()
    assert C.sr_layer_make(set, options, ctypes.c_size_t(len(options)), ctypes.byref(handle)) == OK, error_text()
    return handle


@pytest.mark.parametrize("precision, number", [("f32", ctypes.c_float), ("f64", ctypes.c_double)])
def test_projects(precision, number):
    set = new_set(b'{"type": "capped_simplex", "dim": 4, "cap": 0.4}')
    layer = new_layer(set, b'{"method": "soft_radial"}')
    u = (number * 8)(0.1, 0.2, 0.0, -0.1, 3.0, -1.0, 0.5, 0.5)
    x = (number * 8)()
    assert getattr(C, f"sr_project_{precision}")(layer, rows(u, 4), rows(x, 4)) == OK, error_text()
    # README's numbers.
    assert [f"{value:.4f}" for value in x] == "0.2768 0.3304 0.2232 0.1696 0.3992 0.1339 0.2334 0.2334".split()
    back = (number * 8)()
    assert getattr(C, f"sr_inverse_{precision}")(layer, rows(x, 4), rows(back, 4)) == OK, error_text()
    assert back[0] - back[1] == pytest.approx(u[0] - u[1], rel=1e-3)
    violation = (ctypes.c_double * 2)()
    assert getattr(C, f"sr_set_violation_{precision}")(set, rows(x, 4), violation, ctypes.c_size_t(2)) == OK
    assert list(violation) == [0, 0]
    C.sr_layer_free(layer)
    C.sr_set_free(set)


def test_errors_are_statuses_with_a_line():
    handle = ctypes.c_void_p()
    assert C.sr_set_parse(None, ctypes.c_size_t(2), ctypes.byref(handle)) == INVALID_ARGUMENT
    assert error_text() == "json is null" and not handle
    assert C.sr_set_parse(b"{}", ctypes.c_size_t(2), ctypes.byref(handle)) == INVALID_SET
    assert error_text() == 'the key "type" is missing'
    set = new_set(b'{"type": "simplex", "dim": 3}')
    layer = new_layer(set)
    u = (ctypes.c_double * 4)()
    assert C.sr_project_f64(layer, rows(u, 4), rows(u, 4)) == SHAPE
    assert error_text() == "u has rows of 4 numbers, expected 3"
    assert C.sr_status_name(SHAPE) == b"SR_SHAPE"


def test_error_texts_belong_to_their_threads():
    assert C.sr_set_dim(None, None) == INVALID_ARGUMENT
    mine, other = error_text(), []
    thread = threading.Thread(target=lambda: other.append(error_text()))
    thread.start()
    thread.join()
    assert other == [""] and mine == error_text() != ""


def test_any_bytes_are_a_set_or_an_error():
    import random

    rng = random.Random(1)
    valid = b'{"type": "box", "lower": [0, null], "upper": [1, 2], "anchor": [0.5, 0]}'
    for _ in range(3000):
        text = bytearray(rng.randbytes(rng.randrange(40)) if rng.random() < 0.5 else valid)
        for _ in range(rng.randrange(4)):
            if text:
                text[rng.randrange(len(text))] = rng.randrange(256)
        handle = ctypes.c_void_p()
        length = ctypes.c_size_t(rng.randrange(len(text) + 1))
        status = C.sr_set_parse(bytes(text), length, ctypes.byref(handle))
        assert status in (OK, INVALID_SET) and bool(handle) == (status == OK)
        if handle:
            C.sr_set_free(handle)
        else:
            assert error_text() and "\n" not in error_text()


def run(*command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_exports_the_functions_of_the_header_and_nothing_else():
    declared = re.findall(r"^SR_API .*?\b(sr_\w+)\(", HEADER.read_text(), re.MULTILINE)
    exported = [line.split()[-1] for line in run("nm", "-D", "--defined-only", LIBRARY).splitlines()]
    assert len(declared) > 30 and sorted(exported) == sorted(declared)


def test_loads_no_torch_and_has_a_relative_path():
    listing = run("readelf", "-d", LIBRARY)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", listing)
    assert needed and not [name for name in needed if "torch" in name or "c10" in name or "python" in name]
    paths = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", listing)
    assert paths == ["$ORIGIN"]
    version = re.search(r"^#define SR_ABI_VERSION (\d+)$", HEADER.read_text(), re.MULTILINE)[1]
    assert re.findall(r"\(SONAME\).*\[(.*)\]", listing) == [f"libsoftradial_c.so.{version}"]
    assert C.sr_abi_version() == int(version)

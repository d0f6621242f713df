"""The package as pip builds and installs it: what is in it, what it loads, and with which torch."""

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from conftest import SOURCES, run
from elf import RUN_TIME, is_elf, needed, run_path, soname

USE = """
import pathlib, sys
import softradial, softradial.numpy, torch
assert pathlib.Path(sys.prefix) in pathlib.Path(softradial.__file__).parents, softradial.__file__
triangle = softradial.Polyhedron([[1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], [1.0, 0.0, 0.0])
layer = softradial.SoftRadial(triangle, anchor="chebyshev")
assert layer.set.violation(layer(torch.randn(100, 2) * 50)).max() == 0
softradial.numpy.SoftRadial(softradial.numpy.CappedSimplex(4, cap=0.4))([[3.0, -1.0, 0.5, 0.5]])
"""
# What the package loads itself; everything else in its folder is there for these two.
OURS = ("libsoftradial_c.so", "libsoftradial_torch.so")
# The libraries of the process, one a line.
LOADED = """
print(*{line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}, sep="\\n")
"""


def output_of(python: Path, program: str, **options) -> str:
    return run(python, "-c", program, **options)


def unpack(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_source_archive_has_its_metadata_and_no_leftovers(sdist: Path, cmake_version: str):
    with tarfile.open(sdist) as archive:
        names = set(archive.getnames())
        prefix = f"softradial-{cmake_version}"
        metadata = email.message_from_binary_file(archive.extractfile(f"{prefix}/PKG-INFO"))
    assert sdist.name == f"{prefix}.tar.gz"
    assert metadata["Version"] == cmake_version
    wanted = ("LICENSE", "CMakeLists.txt", "pyproject.toml", "python/softradial/py.typed")
    assert {f"{prefix}/{name}" for name in wanted} <= names
    assert not [name for name in names if re.search(r"/(\.git|build[^/.]*|__pycache__)/", name)]


def test_the_version_has_one_place(wheel: Path, from_wheel: Path, cmake_version: str):
    assert output_of(from_wheel, "import softradial; print(softradial.__version__)").strip() == cmake_version
    assert wheel.name.split("-")[1] == cmake_version


def test_wheel_is_for_the_python_and_the_machine_that_built_it(wheel: Path, from_wheel: Path):
    question = "import sys, sysconfig; print('cp%d%d' % sys.version_info[:2], sysconfig.get_platform())"
    python, platform = output_of(from_wheel, question).split()
    assert wheel.stem.split("-")[2:] == [python, python, re.sub("[-.]", "_", platform)]


def test_wheel_says_what_it_is(wheel: Path, cmake_version: str):
    with zipfile.ZipFile(wheel) as archive:
        metadata = email.message_from_bytes(archive.read(f"softradial-{cmake_version}.dist-info/METADATA"))
        assert f"softradial-{cmake_version}.dist-info/licenses/LICENSE" in archive.namelist()
    assert metadata["Name"] == "softradial"
    assert metadata["Version"] == cmake_version
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Dist"].startswith("torch")
    assert "Typing :: Typed" in metadata.get_all("Classifier")
    assert metadata.get_payload().startswith("# softradial")


def test_wheel_holds_the_package_and_nothing_else(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = SOURCES / "python" / "softradial"
    files = [path for path in package.rglob("*") if path.suffix in (".py", ".pyi", ".typed")]
    ours = {f"softradial/{path.relative_to(package)}" for path in files}
    assert "softradial/py.typed" in ours
    assert {name for name in names if not name.startswith("softradial/lib/")} == ours | {"softradial/_build.py"}
    assert {f"softradial/lib/{name}" for name in OURS} <= names
    brought_by_others = re.compile(r"lib(torch|c10|gomp|stdc\+\+|gcc_s|c\.|m\.)")
    assert not [name for name in names if brought_by_others.match(Path(name).name)]


def test_libraries_are_found_beside_each_other_or_in_torch(wheel: Path, from_wheel: Path, tmp_path: Path):
    folder = unpack(wheel, tmp_path) / "softradial" / "lib"
    libraries = {path.name: path for path in folder.iterdir()}
    assert all(is_elf(path) for path in libraries.values())
    assert [run_path(libraries[name]) for name in OURS] == [["$ORIGIN", "$ORIGIN/../../torch/lib"]] * 2
    assert all(entry.startswith("$ORIGIN") for path in libraries.values() for entry in run_path(path))
    # A RUNPATH serves the library that has it: ours name everything that lies beside them.
    assert all(set(libraries) - set(OURS) <= needed(libraries[name]) for name in OURS)
    loaded = output_of(from_wheel, "import torch" + LOADED).split()
    of_torch = {name for path in loaded for name in (Path(path).name, soname(Path(path)))}
    wanted = {name for path in libraries.values() for name in needed(path)}
    assert {name for name in wanted - set(libraries) - of_torch if not RUN_TIME.fullmatch(name)} == set()


@pytest.mark.parametrize("installed", ["from_wheel", "from_sdist", "from_isolated_build"])
def test_imports_among_hostile_libraries(installed: str, request: pytest.FixtureRequest, tmp_path: Path):
    python = request.getfixturevalue(installed)
    package = Path(output_of(python, "import softradial; print(softradial.__path__[0])").strip())
    for name in needed(package / "lib" / "libsoftradial_torch.so") | {"libtorch_cpu.so", "libc10.so", "liblapack.so.3"}:
        (tmp_path / name).write_text("not a library")
    loaded = [Path(path) for path in output_of(python, USE + LOADED, cwd=tmp_path).split()]
    beside = {path.name for path in (package / "lib").iterdir()}
    assert {path for path in loaded if path.name in beside} == set((package / "lib").iterdir())


@pytest.fixture
def package(from_wheel: Path) -> Path:
    """The folder that holds the installed package."""
    return Path(output_of(from_wheel, "import softradial; print(softradial.__path__[0])").strip()).parent


def error_of(program: str) -> str:
    """The last line of the error that a Python without any packages ends with."""
    result = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert result.returncode == 1
    return result.stderr.strip().split("\n")[-1]


def test_a_torch_that_does_not_fit_is_named(package: Path, from_wheel: Path, tmp_path: Path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text('__version__ = "0.99.7+other"\n')
    error = error_of(f"import sys; sys.path += [{str(tmp_path)!r}, {str(package)!r}]; import softradial")
    fits = output_of(from_wheel, "import torch; print(*torch.__version__.split('.')[:2], sep='.')").strip()
    assert error.startswith("ImportError: softradial ")
    assert f"compiled for torch {fits} and finds torch 0.99.7+other ({tmp_path / 'torch'})" in error


def test_no_torch_at_all_is_said(package: Path):
    error = error_of(f"import sys; sys.path += [{str(package)!r}]; import softradial; softradial.SoftRadial")
    assert error.startswith("ImportError: softradial.SoftRadial needs torch: softradial ")
    assert "finds no torch: install torch " in error


def test_without_torch_there_is_no_build(builder: str, unpacked: Path, tmp_path: Path):
    """CMake's error names the Python that was asked."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    options = [f"-DSOFTRADIAL_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "BENCHMARKS", "EXAMPLES")]
    result = subprocess.run(
        ["cmake", "-S", unpacked, "-B", tmp_path / "build", "-G", "Ninja", "-DSOFTRADIAL_WHEEL=ON", *options]
        + [f"-DPython_EXECUTABLE={python}"],
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert f"{python} has none: install torch first" in " ".join(result.stderr.split())

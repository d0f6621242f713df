"""A source archive and a wheel, each built once, and environments that they are installed into."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2]
PACKAGE = Path(os.environ["SOFTRADIAL_BUILD_DIR"]) / "package"
WORK = PACKAGE / "work"
# What `./dev test --package` fetches: a Python with scikit-build-core that sees the system's torch, and the wheels that pip
# would fetch for a build of its own. Both may be absent.
FETCHED = PACKAGE / "env" / "bin" / "python"
WHEELS = PACKAGE / "wheels"


def run(*command: "str | Path", environment: "dict[str, str] | None" = None, cwd: "Path | None" = None) -> str:
    """The command's output. Nothing may be downloaded, no git may be asked, and ours is the only package on the path."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON"))}
    env.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", PYTHONDONTWRITEBYTECODE="1", **(environment or {}))
    env["PATH"] = f"{WORK / 'no_git'}:{env['PATH']}"
    result = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd)
    assert result.returncode == 0, f"{command} ended with {result.returncode}:\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="session")
def cmake_version() -> str:
    text = (SOURCES / "CMakeLists.txt").read_text()
    return re.search(r"^project\(softradial VERSION ([0-9.]+)", text, re.MULTILINE).group(1)


@pytest.fixture(scope="session")
def builder() -> str:
    """A Python that has pip, torch and scikit-build-core."""
    python = str(FETCHED) if FETCHED.exists() else sys.executable
    if subprocess.run([python, "-c", "import scikit_build_core"], capture_output=True).returncode != 0:
        pytest.skip(f"{python} has no scikit-build-core: `./dev test --package` fetches it from PyPI")
    shutil.rmtree(WORK, ignore_errors=True)
    git = WORK / "no_git" / "git"
    git.parent.mkdir(parents=True)
    git.write_text("#!/bin/sh\necho 'a build asked git' >&2\nexit 1\n")
    git.chmod(0o755)
    return python


@pytest.fixture(scope="session")
def sdist(builder: str) -> Path:
    build = "import sys, scikit_build_core.build as backend; backend.build_sdist(sys.argv[1])"
    run(builder, "-c", build, WORK, cwd=SOURCES)
    (archive,) = WORK.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="session")
def unpacked(sdist: Path) -> Path:
    """The archive's folder, where all builds share their object files."""
    with tarfile.open(sdist) as archive:
        archive.extractall(WORK)
    return WORK / sdist.name[: -len(".tar.gz")]


def pip_options() -> "list[str]":
    return ["--quiet", "--no-deps", "--config-settings", f"build-dir={WORK / 'objects'}"]


@pytest.fixture(scope="session")
def wheel(builder: str, unpacked: Path) -> Path:
    run(builder, "-m", "pip", "wheel", "--no-build-isolation", *pip_options(), "--wheel-dir", WORK, unpacked)
    (path,) = WORK.glob("*.whl")
    return path


def new_environment(name: str) -> Path:
    """The Python of a fresh environment that sees the builder's torch."""
    run(sys.executable, "-m", "venv", "--system-site-packages", WORK / name)
    return WORK / name / "bin" / "python"


@pytest.fixture(scope="session")
def from_wheel(wheel: Path) -> Path:
    python = new_environment("from_wheel")
    run(python, "-m", "pip", "install", "--quiet", wheel)
    return python


@pytest.fixture(scope="session")
def from_sdist(builder: str, unpacked: Path, wheel: Path) -> Path:
    """Installed from the sources without isolation: the environment's own scikit-build-core and torch are used."""
    python = new_environment("from_sdist")
    where = "import pathlib, scikit_build_core as s; print(pathlib.Path(s.__file__).parents[1], end='')"
    environment = {"PYTHONPATH": run(builder, "-c", where)}
    run(python, "-m", "pip", "install", "--no-build-isolation", *pip_options(), unpacked, environment=environment)
    return python


@pytest.fixture(scope="session")
def from_isolated_build(unpacked: Path, wheel: Path) -> Path:
    """Installed as `pip install .` does it: the backend in an environment of its own, torch behind its back."""
    if not WHEELS.is_dir():
        pytest.skip("no wheels of scikit-build-core for an isolated build: `./dev test --package` fetches them from PyPI")
    python = new_environment("from_isolated_build")
    run(python, "-m", "pip", "install", *pip_options(), unpacked, environment={"PIP_FIND_LINKS": str(WHEELS)})
    return python

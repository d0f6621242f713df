"""Builds the wheel: `pip install .`, also without a network.

The op library is built by CMake against the torch of the Python that runs pip; libraries that it needs and torch does not
bring are put beside it. Only the standard library is used: nothing has to be downloaded to build.
"""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PACKAGE = "softradial"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _field("version")
    tag = f"py3-none-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"
    name = f"{PACKAGE}-{version}-{tag}.whl"
    with tempfile.TemporaryDirectory() as folder:
        package = _build(Path(folder))
        with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
            _write_wheel(wheel, package, version, tag)
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"{PACKAGE}-{_field('version')}"
    archive = Path(sdist_directory) / f"{name}.tar.gz"
    subprocess.run(["git", "archive", f"--prefix={name}/", "-o", str(archive), "HEAD"], cwd=SOURCE, check=True)
    return archive.name


def _field(name):
    """A text field of [project] in pyproject.toml."""
    text = (SOURCE / "pyproject.toml").read_text()
    return re.search(rf'^{name} = "([^"]*)"', text, re.MULTILINE).group(1)


def _ask_torch(question):
    """What the torch that pip's Python sees answers; -I looks past the isolation of the build."""
    try:
        answer = subprocess.run([sys.executable, "-I", "-c", question], capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"softradial: torch is needed to build: {error.stderr.strip().splitlines()[-1]}") from None
    return answer.stdout.strip()


def _build(folder):
    """The package's folder as it is to be installed."""
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            raise SystemExit(f"softradial: {tool} is needed to build; `./dev install` installs what is missing")
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_PREFIX_PATH": _ask_torch("import torch; print(torch.utils.cmake_prefix_path)"),
        "SOFTRADIAL_BUILD_TORCH": "ON",
    }
    for part in ("CLI", "TESTS", "BENCHMARKS", "EXAMPLES"):
        options[f"SOFTRADIAL_BUILD_{part}"] = "OFF"
    if shutil.which("ccache"):
        options["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    defines = [f"-D{key}={value}" for key, value in options.items()]
    subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(folder), "-G", "Ninja", *defines], check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "softradial_torch"], check=True)
    package = folder / "python" / PACKAGE
    _bundle(package / "lib" / "libsoftradial_torch.so")
    return package


def _needed(library):
    """File name -> path of everything that the loader would load for a library."""
    listing = subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^\s*(\S+) => (\S+)", listing, re.MULTILINE))


def _bundle(library):
    """Copies what the op library needs besides torch and the C and C++ run-time to its side."""
    torch_cpu = _ask_torch(
        "import torch, re; print(next(l.split()[-1] for l in open('/proc/self/maps') if 'libtorch_cpu' in l))"
    )
    brought = set(_needed(torch_cpu)) | {Path(torch_cpu).name}
    for name, path in _needed(library).items():
        if name not in brought and not re.match(r"lib(torch|c10|stdc\+\+|gcc_s|gomp|c|m|pthread|dl)\b", name):
            shutil.copy(path, library.parent / name)


def _write_wheel(wheel, package, version, tag):
    info = f"{PACKAGE}-{version}.dist-info"
    records = []

    def add(name, data):
        wheel.writestr(name, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        records.append(f"{name},sha256={digest},{len(data)}")

    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            add(f"{PACKAGE}/{path.relative_to(package)}", path.read_bytes())
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {PACKAGE}",
        f"Version: {version}",
        f"Summary: {_field('description')}",
        f"Requires-Python: {_field('requires-python')}",
        "Requires-Dist: torch (>=1.13.0a0)",
        "Description-Content-Type: text/markdown",
        "",
        (SOURCE / "README.md").read_text(),
    ]
    add(f"{info}/METADATA", "\n".join(metadata).encode())
    add(f"{info}/LICENSE", (SOURCE / "LICENSE").read_bytes())
    add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: softradial\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    records.append(f"{info}/RECORD,,")
    wheel.writestr(f"{info}/RECORD", "\n".join(records) + "\n")

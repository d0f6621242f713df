"""The bill of materials of Debian packages: tools/sbom.py."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tools"))
import sbom  # noqa: E402 (a tool, not a package)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two packages: one needs the other and libc6."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name, depends in (("ours-c1", "libc6 (>= 2.34), libstdc++6"), ("ours", "ours-c1 (= 1.2.3), libc6 | musl")):
        root = tmp_path / name
        (root / "DEBIAN").mkdir(parents=True)
        fields = {"Package": name, "Version": "1.2.3", "Architecture": "amd64", "Depends": depends, "Maintainer": "m"}
        control = "".join(f"{field}: {value}\n" for field, value in {**fields, "Description": "d"}.items())
        (root / "DEBIAN" / "control").write_text(control)
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", root, packages / f"{name}.deb"], check=True,
                       capture_output=True)
    return packages


def make(folder: Path, out: Path) -> dict:
    subprocess.run([sys.executable, SOURCE / "tools" / "sbom.py", folder, out, "--built-with", "cmake"], check=True,
                   capture_output=True)
    return json.loads(out.read_text())


def test_every_package_and_everything_that_it_needs_is_named(folder: Path, tmp_path: Path):
    spdx = make(folder, tmp_path / "a.json")
    assert sorted(package["name"] for package in spdx["packages"]) == ["cmake", "libc6", "libstdc++6", "ours", "ours-c1"]
    relations = {tuple(relation.values()) for relation in spdx["relationships"]}
    assert (sbom.element("ours"), "DEPENDS_ON", sbom.element("ours-c1")) in relations
    assert (sbom.element("cmake"), "BUILD_DEPENDENCY_OF", sbom.element("ours")) in relations
    assert sbom.check(spdx) == []


def test_the_same_packages_give_the_same_bytes(folder: Path, tmp_path: Path):
    make(folder, tmp_path / "a.json")
    make(folder, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_what_the_specification_forbids_is_found(folder: Path, tmp_path: Path):
    spdx = make(folder, tmp_path / "a.json")
    spdx["packages"].append(spdx["packages"][0])
    assert any("twice" in line for line in sbom.check(spdx))
    del spdx["packages"][1:], spdx["dataLicense"]
    assert any("not described" in line for line in sbom.check(spdx)) and "dataLicense is missing" in sbom.check(spdx)

#!/usr/bin/env python3
"""What our Debian packages are made of, as SPDX 2.3 in JSON: sbom.py FOLDER OUT [--built-with PACKAGE...].

FOLDER holds the .deb files. What they depend on comes from themselves, the versions from this machine's dpkg. The same
packages give the same bytes; the date is SOURCE_DATE_EPOCH.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional
from urllib.parse import quote

LICENCE = "BSD-3-Clause"
DOCUMENT = "SPDXRef-DOCUMENT"


def output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def element(name: str) -> str:
    """An identifier has letters, digits, dots and dashes."""
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name.replace("+", "plus"))


def depends_of(deb: Path) -> List[str]:
    """The first name of every alternative, without versions."""
    clauses = output("dpkg-deb", "-f", str(deb), "Depends").split(",")
    return [re.split(r"[ (|:]", clause.strip())[0] for clause in clauses if clause.strip()]


def installed_version(name: str) -> Optional[str]:
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 and done.stdout else None


def our_package(deb: Path) -> Dict[str, Any]:
    fields = ("Package", "Version", "Architecture")
    name, version, architecture = (output("dpkg-deb", "-f", str(deb), field) for field in fields)
    return {
        "SPDXID": element(name),
        "name": name,
        "versionInfo": version,
        "packageFileName": deb.name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": LICENCE,
        "licenseDeclared": LICENCE,
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(deb.read_bytes()).hexdigest()}],
        "externalRefs": [purl("generic", name, version, f"?arch={architecture}")],
    }


def debian_package(name: str) -> Dict[str, Any]:
    version = installed_version(name)
    found: Dict[str, Any] = {
        "SPDXID": element(name),
        "name": name,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }
    if version:
        found["versionInfo"] = version
        found["externalRefs"] = [purl("deb/debian", name, version)]
    return found


def purl(kind: str, name: str, version: str, more: str = "") -> Dict[str, str]:
    locator = f"pkg:{kind}/{quote(name, safe='')}@{quote(version, safe='')}{more}"
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}


def document(debs: List[Path], built_with: List[str]) -> Dict[str, Any]:
    ours = [our_package(deb) for deb in debs]
    names = {package["name"] for package in ours}
    relations = [(DOCUMENT, "DESCRIBES", package["SPDXID"]) for package in ours]
    others = set(built_with)
    for deb, package in zip(debs, ours):
        for name in depends_of(deb):
            relations.append((package["SPDXID"], "DEPENDS_ON", element(name)))
            others.add(name)
        relations += [(element(name), "BUILD_DEPENDENCY_OF", package["SPDXID"]) for name in built_with]
    packages = ours + [debian_package(name) for name in sorted(others - names)]
    date = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    content = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    version = ours[0]["versionInfo"]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": DOCUMENT,
        "name": f"softradial-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/softradial-{version}-{content}",
        "creationInfo": {"created": date.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: softradial-sbom"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations
        ],
    }


def check(spdx: Dict[str, Any]) -> List[str]:
    """What the specification demands of such a document and this one does not keep."""
    wrong = []
    for field in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
        if not spdx.get(field):
            wrong.append(f"{field} is missing")
    ids = [package["SPDXID"] for package in spdx["packages"]]
    wrong += [f"{one} stands twice" for one in sorted(set(ids)) if ids.count(one) > 1]
    wrong += [f"{one} is no identifier" for one in ids if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one)]
    known = {DOCUMENT, *ids}
    for package in spdx["packages"]:
        wrong += [f"{package['SPDXID']} has no {field}" for field in ("name", "downloadLocation") if not package.get(field)]
    for relation in spdx["relationships"]:
        for end in ("spdxElementId", "relatedSpdxElement"):
            if relation[end] not in known:
                wrong.append(f"{relation[end]} is related and not described")
    if not any(relation["relationshipType"] == "DESCRIBES" for relation in spdx["relationships"]):
        wrong.append("nothing is described")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--built-with", nargs="*", default=[])
    arguments = parser.parse_args()
    debs = sorted(arguments.folder.glob("*.deb"))
    if not debs:
        print(f"sbom: {arguments.folder} has no .deb", file=sys.stderr)
        return 2
    spdx = document(debs, arguments.built_with)
    for line in check(spdx):
        print(f"sbom: {line}", file=sys.stderr)
    arguments.out.write_text(json.dumps(spdx, indent=1) + "\n")
    print(f"{len(debs)} packages, {len(spdx['packages']) - len(debs)} that they need, in {arguments.out}")
    return 1 if check(spdx) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fails if a page of the built site points at a file that is not there: site_links.py FOLDER. Doxygen checks its own."""

import re
import sys
from pathlib import Path


def main() -> int:
    site = Path(sys.argv[1])
    pages = [page for page in site.rglob("*.html") if page.relative_to(site).parts[0] != "cpp"]
    broken = []
    for page in pages:
        for link in re.findall(r'(?:href|src)="([^"#?]+)', page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:|//", link) and not (page.parent / link).exists():
                broken.append(f"{page.relative_to(site)}: {link}")
    for line in broken:
        print(f"site_links: {line}", file=sys.stderr)
    print(f"{len(pages)} pages in {site}")
    return 1 if broken or not pages else 0


sys.exit(main())

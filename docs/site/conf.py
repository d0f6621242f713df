"""The site: the project's pages and the Python interface, by Sphinx. `./dev docs` runs it."""

import os
import re
from pathlib import Path
from typing import List

from sphinx.application import Sphinx

SOURCE = Path(__file__).resolve().parents[2]

project = "softradial"
release = os.environ["SOFTRADIAL_VERSION"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "src/README.md", "abi/README.md", "docs/**/*.md",
                    "docs/*.md", "docs/site/python.rst"]
exclude_patterns = ["docs/site/cpp.md", "build*", "**/node_modules"]
html_theme = "furo"
html_title = "softradial"
html_show_copyright = False
html_copy_source = False
highlight_language = "text"
autodoc_member_order = "bysource"
myst_heading_anchors = 4
# Info strings say how a block is tested (CONTRIBUTING.md); languages that have no colours are shown plainly.
suppress_warnings = ["misc.highlighting_failure"]

# Pages that no list names stand at the end of the study's.
CONTENTS = """

```{{toctree}}
:hidden:
:caption: Guides
docs/your_data
docs/choosing
docs/boundaries
docs/torch
docs/numpy
docs/c
docs/cli
docs/set_json
docs/limits
docs/policies
docs/playground
```

```{{toctree}}
:hidden:
:caption: The study
docs/data
docs/runs
docs/report
docs/sweeps
docs/scaling
docs/distributed
docs/faults
docs/metrics
docs/reproduction
docs/benchmarks
docs/figures
{others}
```

```{{toctree}}
:hidden:
:caption: Methods and mathematics
docs/methods/README
{methods}
{math}
```

```{{toctree}}
:hidden:
:caption: Reference
docs/site/reference
docs/site/python
src/README
abi/README
CONTRIBUTING
CHANGELOG
```
"""


def pages_in(folder: str) -> str:
    """Those that CONTENTS does not name."""
    pages = (f"{folder}/{page.stem}" for page in sorted((SOURCE / folder).glob("*.md")))
    return "\n".join(page for page in pages if page not in CONTENTS.split())


def prepare(app: Sphinx, name: str, source: List[str]) -> None:
    """Files that are no pages are copied to the site as they are; info strings keep their first word."""
    folder = (SOURCE / name).parent
    text = re.sub(r"^```(\w+) .*$", r"```\1", source[0], flags=re.MULTILINE)

    def link(match: "re.Match[str]") -> str:
        target = folder / match[2]
        if target.is_dir():
            return match[1]
        if target.is_file() and target.suffix not in (".md", ".svg"):
            return f"{{download}}`{match[1]} <{match[2]}>`"
        return match[0]

    text = re.sub(r"(?<!!)\[([^\]\n`]*)\]\(([^)#:\s]+)\)", link, text)
    if name == root_doc:
        text += CONTENTS.format(methods=pages_in("docs/methods"), math=pages_in("docs/math"),
                                others=pages_in("docs"))
    if name == "docs/site/reference" and (Path(app.outdir) / "playground.html").is_file():
        text += '\n- <a href="../../playground.html">The playground</a>: sets and layers in the browser\n'
    source[0] = text


def as_written(app: Sphinx, what: str, name: str, thing: object, options: object, lines: List[str]) -> None:
    """Docstrings are plain text with formulas: they are shown as they stand."""
    lines[:] = ["::", "", *("    " + line for line in lines), ""] if any(lines) else []


def setup(app: Sphinx) -> None:
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", as_written)

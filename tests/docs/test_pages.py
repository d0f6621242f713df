"""Every block of every page is run by a test or says why not; every link leads somewhere."""

import os
import re
from pathlib import Path

import pytest

from pages import FENCE, SOURCE, all_pages, anchors, blocks, links, text_of, without_code

LANGUAGES = {"python", "sh", "console", "json", "toml", "c", "cpp", "cmake", "text", "js"}
# What begins a line of a shell, and what makes a block of such lines a synopsis: words for the reader to replace, brackets.
COMMAND = re.compile(r"^ {4}(?:\$ |softradial |python3? |pip |cmake |apt )", re.MULTILINE)
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|[\[|]|\.\.\.")
# Blocks that are not run, in all pages together.
MOST_EXCEPTIONS = 12


@pytest.mark.parametrize("page", all_pages())
def test_blocks_are_code_that_a_test_knows(page):
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: {block.language}"


def test_every_page_with_a_program_is_run():
    """CMake names the pages that it runs; the pages of the torch build are not run by others."""
    run = set(os.environ["SOFTRADIAL_PAGES"].split(";"))
    for page in all_pages():
        if any(not block.not_run for block in blocks(page)):
            assert page in run, f"{page}: add it to tests/docs/CMakeLists.txt"


def test_exceptions_are_few():
    not_run = [block.place for page in all_pages() for block in blocks(page) if block.not_run]
    assert len(not_run) <= MOST_EXCEPTIONS, not_run


@pytest.mark.parametrize("page", [page for page in all_pages() if page.startswith("docs/") or page == "README.md"])
def test_commands_are_fenced(page):
    for indented in re.findall(r"(?:^ {4}.*\n)+", FENCE.sub("", text_of(page)), re.MULTILINE):
        if COMMAND.search(indented):
            assert PLACEHOLDER.search(indented), f"{page}: fence these commands, so that they are run:\n{indented}"


@pytest.mark.parametrize("page", all_pages())
def test_links_lead_somewhere(page):
    folder = (SOURCE / page).parent
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (folder / path).resolve() if path else SOURCE / page
        assert target.exists(), f"{page}: {link}: there is no such file"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(str(target.relative_to(SOURCE))), f"{page}: {link}: there is no such heading"


@pytest.mark.parametrize("page", all_pages())
def test_paths_that_are_named_exist(page):
    """`docs/x.md`, `tools/y.sh` in running text."""
    for path in re.findall(r"`((?:docs|src|tools|tests|cmake|examples|benchmarks|study|program|python)/[\w/.]+\.\w+)`",
                           text_of(page)):
        assert PLACEHOLDER.search(path) or (SOURCE / path).exists(), f"{page}: {path}"


def test_what_is_code_has_no_links():
    assert without_code("a [b](c)\n\n    [d](e)\n\n`[f](g)`") == "a [b](c)\n\n\n\n"


def test_the_convention_is_kept(tmp_path, monkeypatch):
    """A block without a language, an exception without a reason: both are found."""
    monkeypatch.setattr("pages.SOURCE", tmp_path)
    right = "```sh not run: a b c\nx\n```\n\n```python needs torch 2\ny\n```\n\n```toml a.toml\n```\n"
    Path(tmp_path, "page.md").write_text(right)
    first, second, third = blocks("page.md")
    assert (first.language, first.not_run, first.text, first.line) == ("sh", "a b c", "x\n", 1)
    assert (second.needs, second.not_run, third.file) == (["torch", "2"], "", "a.toml")
    for wrong in ("```\nx\n```\n", "```sh not run: no\nx\n```\n", "```sh not run\nx\n```\n", "```sh a b\nx\n```\n"):
        Path(tmp_path, "page.md").write_text(wrong)
        with pytest.raises(AssertionError):
            blocks("page.md")

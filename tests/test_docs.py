"""The documents say what is there: commands, options, plans, links, files, terms."""

import json
import re
from pathlib import Path

import pytest
import typer

from winze.cli.app import app
from winze.cli.exits import Exit
from winze.learned import learned_from_json
from winze.plan import Limits, Plan, load_plan
from winze.store import schema

ROOT = Path(__file__).parents[1]

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

#: Fenced blocks: language and text.
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)

_CODE = re.compile(r"`([^`\n]+)`")

_LINK = re.compile(r"\[[^]\n]*\]\(([^)\s]+)\)")

_HEADING = re.compile(r"^#+ (.+)$", re.M)

#: Files in code, with one folder at least or a name at the root of a package.
_FILE = re.compile(r"[\w./-]+\.py")

_PATTERN = re.compile(r"winze +([a-z]+)\b(.*)")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def fences(language: str) -> list[tuple[str, str]]:
    """Every block of a language in any document, with the document's name."""
    return [
        (path.name, text)
        for path in DOCUMENTS
        for found, text in _FENCE.findall(path.read_text("utf-8"))
        if found == language
    ]


def verbs() -> dict[str, set[str]]:
    """The commands that there are, each with its options."""
    group = typer.main.get_group(app)
    return {
        name: {option for parameter in command.params for option in parameter.opts} | {"--help"}
        for name, command in group.commands.items()
    }


def shown_commands() -> list[tuple[str, str, list[str]]]:
    """Document, verb and options of each `winze VERB` in a shell block or in running code."""
    shown = []
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        lines = [
            line.removeprefix("$ ").partition("  #")[0]
            for language, block in _FENCE.findall(text)
            for line in block.splitlines()
            if language == "sh" or (language == "console" and line.startswith("$ "))
        ]
        lines += _CODE.findall(_FENCE.sub("", text))
        for line in lines:
            if found := _PATTERN.match(line):
                options = re.findall(r"(?:^| )(--?[A-Za-z][\w-]*)", found[2])
                shown.append((path.name, found[1], options))
    return shown


def test_commands_in_the_documents_exist():
    known = verbs()
    assert {verb for _, verb, _ in shown_commands()} - known.keys() == set()


def test_their_options_exist():
    known = verbs()
    wrong = [(doc, verb, set(options) - known[verb]) for doc, verb, options in shown_commands()]
    assert [entry for entry in wrong if entry[2]] == []


def test_the_readme_shows_every_verb_of_the_main_job():
    shown = {verb for document, verb, _ in shown_commands() if document == "README.md"}
    assert {"init", "try", "learn", "crawl", "explain", "status", "export"} <= shown


@pytest.mark.parametrize(("document", "text"), fences("toml"))
def test_plans_in_the_documents_load(document, text, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(text, "utf-8")
    assert load_plan(path, {}).starts()


def test_the_readme_names_every_key_of_a_plan():
    keys = {*Plan.model_fields, *Limits.model_fields, "allow", "deny"} - {"path"}
    readme = read("README.md")
    assert {key for key in keys if not re.search(rf"\b{key}\b", readme)} == set()


@pytest.mark.parametrize(("document", "text"), fences("json"))
def test_learned_json_in_the_documents_loads(document, text):
    learned = learned_from_json(json.loads(text))
    assert learned.rules
    assert learned.wrapper.field_names()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    dead = []
    for target in _LINK.findall(_FENCE.sub("", path.read_text("utf-8"))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        there = path.parent / file if file else path
        if not there.exists() or (anchor and anchor not in anchors(there)):
            dead.append(target)
    assert dead == []


def anchors(path: Path) -> set[str]:
    """The headings of a document as GitHub names them."""
    headings = _HEADING.findall(_FENCE.sub("", path.read_text("utf-8")))
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_files_named_in_code_exist(path):
    names = {
        name for code in _CODE.findall(path.read_text("utf-8")) for name in _FILE.findall(code)
    }
    missing = {
        name
        for name in names
        if not any((base / name).is_file() for base in (ROOT, ROOT / "winze"))
    }
    assert missing == set()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_names_behind_a_file_stand_in_it(path):
    """`path.py` `name` in a document: the file defines the name."""
    text = path.read_text("utf-8")
    pairs = re.findall(r"`([\w/.-]+\.py)` `(?:(\w+)\.)?(\w+)`", text)
    wrong = []
    for file, owner, name in pairs:
        base = next(base for base in (ROOT, ROOT / "winze") if (base / file).is_file())
        source = (base / file).read_text("utf-8")
        wrong += [
            f"{file} {one}"
            for one in (owner, name)
            if one and not re.search(rf"(?:def|class) {one}\b|^{one}\b", source, re.M)
        ]
    assert wrong == []


def test_modules_that_are_run_exist():
    runs = re.compile(r"python -m ([\w.]+)")
    named = {name for path in DOCUMENTS for name in runs.findall(path.read_text("utf-8"))}
    missing = [
        name
        for name in named
        if not (ROOT / (name.replace(".", "/") + ".py")).is_file()
        and not (ROOT / name.replace(".", "/") / "__main__.py").is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("name", ["README.md", "docs/architecture.md"])
def test_exit_codes_are_all_told(name):
    section = read(name).partition("## Exit codes")[2].partition("\n## ")[0]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.M)} == set(Exit)


def test_the_architecture_names_every_table():
    text = read("docs/architecture.md")
    assert {name for name in schema.metadata.tables if f"`{name}`" not in text} == set()


def test_the_glossary_is_in_order():
    rows = re.findall(r"^\| ([a-zA-Z][^|]*?) \|", read("docs/glossary.md"), re.M)[1:]
    assert rows == sorted(rows, key=str.lower)

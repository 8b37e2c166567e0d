"""The user's plan: ten lines of TOML. Every error says where, what and how to mend it."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from rapidfuzz import process

from winze.errors import PlanError
from winze.extract.value_types import TYPES
from winze.extract.wrapper import Wrapper
from winze.judge.keywords import Expression, parse
from winze.plugins.registry import PluginError, Point, find_key

#: Seconds between two requests to a host, unless the plan says otherwise; 0 on loopback.
DELAY_SECONDS = 1.0

#: Names of output columns that are Winze's own.
RESERVED_FIELDS = frozenset({"url"})

#: What an example page shows for one field: a value, "" for none, a list, [] for an empty one.
Value = str | list[str]

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

_ENVIRONMENT = re.compile(r"\$\{([A-Za-z_]\w*)\}")

#: One value alone is that of the first example.
_Values = Annotated[list[Value], BeforeValidator(lambda v: [v] if isinstance(v, str) else v)]


def _by_whole_names(table: object) -> object:
    """Name plug-ins as a whole: a bare `point.name = {...}` is a table in a table to TOML."""
    if not isinstance(table, dict):
        return table
    plugins: dict[str, object] = {}
    for key, value in table.items():
        if key in set(Point) and isinstance(value, dict):
            plugins.update((f"{key}.{name}", options) for name, options in value.items())
        else:
            plugins[key] = value
    return plugins


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Limits(_Part):
    """Where a crawl stops by itself."""

    pages: int | None = Field(default=None, gt=0)
    depth: int | None = Field(default=None, ge=0)
    #: Seconds.
    time: float | None = Field(default=None, gt=0)
    #: Bytes of bodies in all.
    bytes: int | None = Field(default=None, gt=0)


class Filters(_Part):
    """The user's own URL filters, regular expressions searched in the URL."""

    allow: list[str] = []
    deny: list[str] = []

    @field_validator("allow", "deny")
    @classmethod
    def _compiles(cls, patterns: list[str]) -> list[str]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
        return patterns


class Plan(_Part):
    """What a user asks for (design, section 3)."""

    #: Where the plan was read; its folder holds learned.json and pages/.
    path: Path = Field(exclude=True)
    start: list[str] = []
    #: A text file of more start links, read anew at each scan.
    seeds: str | None = None
    keywords: str | None = None
    examples: list[str] = []
    #: Name to the value seen on each example page.
    fields: dict[str, _Values] = {}
    #: Field to the type of its values, where the learned one is not wanted.
    types: dict[str, str] = {}
    #: Name, or "name#attribute", to a CSS selector written by hand.
    select: dict[str, str] = {}
    scope: Literal["host", "domain", "prefix", "any"] = "host"
    limits: Limits = Limits()
    filters: Filters = Filters()
    #: Seconds between two requests to a host.
    delay: float | None = Field(default=None, ge=0)
    #: Requests in flight at a host, and in all.
    concurrency: int = Field(default=2, ge=1)
    concurrency_total: int = Field(default=16, ge=1)
    #: Seconds for one page in all.
    timeout: float = Field(default=30.0, gt=0)
    #: Largest page in bytes, decoded.
    page_bytes: int = Field(default=10_000_000, gt=0)
    user_agent: str | None = None
    proxy: str | None = None
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    robots: bool = True
    #: noindex and nofollow; auto: not obeyed where the plan's own pages bear them.
    meta_robots: Literal["auto", "obey", "ignore"] = "auto"
    sitemap: bool = True
    #: Keep the raw answers, so that they can be read again without the network.
    archive: bool = True
    #: Let a browser draw the pages that lack what is looked for, all pages, or none.
    browser: Literal["auto", "always", "never"] = "auto"
    #: Origin to origin, as curl's --connect-to.
    connect_to: dict[str, str] = {}
    #: Plug-ins that take part, "point.name", each with its options.
    plugins: Annotated[dict[str, dict[str, Any]], BeforeValidator(_by_whole_names)] = {}

    @field_validator("start", "examples")
    @classmethod
    def _absolute(cls, urls: list[str]) -> list[str]:
        for url in urls:
            parts = urlsplit(url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError(f"{url!r} is not a web address: write it as 'https://host/path'")
        return urls

    @field_validator("keywords")
    @classmethod
    def _expression(cls, text: str | None) -> str | None:
        if text is not None:
            parse(text)
        return text

    @field_validator("types")
    @classmethod
    def _known_types(cls, types: dict[str, str]) -> dict[str, str]:
        for name, kind in types.items():
            if kind not in TYPES:
                raise ValueError(f"{name}: {kind!r} is no type: choose among {', '.join(TYPES)}")
        return types

    @field_validator("select")
    @classmethod
    def _selects(cls, paths: dict[str, str]) -> dict[str, str]:
        try:
            Wrapper.from_json(paths)
        except ValueError as error:
            raise ValueError(str(error).removeprefix("templates.")) from error
        return paths

    @field_validator("plugins")
    @classmethod
    def _installed(cls, plugins: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for key in plugins:
            try:
                plugin = find_key(key)
            except PluginError as error:
                raise ValueError(str(error)) from error
            if plugin.point is Point.SINK:
                raise ValueError(
                    f"{key}: is chosen by the name of the output, -o file.{plugin.name}"
                )
        return plugins

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.start and not self.seeds:
            raise ValueError('start: is missing: name a page to begin at, start = ["https://..."]')
        self._check_fields()
        self._check_types()
        return self

    def _check_types(self) -> None:
        names = [*self.fields, *(key.partition("#")[0] for key in self.select)]
        for name in self.types if names else ():
            if name not in names:
                near = process.extractOne(name, names)
                raise ValueError(
                    f"types.{name}: there is no such field"
                    + (f": do you mean {near[0]!r}?" if near else "")
                )

    def _check_fields(self) -> None:
        if self.fields and not self.examples:
            raise ValueError(
                "fields: there are values but no examples: add examples = [...], the pages"
                " on which you saw them"
            )
        for name, values in self.fields.items():
            if name in RESERVED_FIELDS:
                raise ValueError(f"fields.{name}: this column is always there: choose another name")
            if len(values) > len(self.examples):
                raise ValueError(
                    f"fields.{name}: {len(values)} values for {len(self.examples)} examples:"
                    " give one value per example page (several on one page: a list in the list)"
                )
            if len({isinstance(value, list) for value in values}) > 1:
                raise ValueError(
                    f"fields.{name}: a single value beside a list: write every entry as a list"
                    ' if a page can have several, such as [["a", "b"], []]'
                )
            if not any(values):
                raise ValueError(
                    f"fields.{name}: no example has a value: give the text of at least one page"
                )

    @property
    def name(self) -> str:
        """The site's name in the store: its folder's, or the file's if that is not plan.toml."""
        return self.path.parent.name if self.path.name == "plan.toml" else self.path.stem

    @property
    def folder(self) -> Path:
        """Where the site's learned.json and pages/ lie."""
        return self.path.parent

    @property
    def learned_path(self) -> Path:
        """The file that the learn phase writes."""
        name = "learned.json" if self.path.name == "plan.toml" else f"{self.path.stem}.learned.json"
        return self.folder / name

    @property
    def expression(self) -> Expression | None:
        """The keyword expression, if there is one."""
        return None if self.keywords is None else parse(self.keywords)

    @property
    def pace(self) -> float:
        """Seconds between two requests to a host: the plan's, else 1, or 0 on loopback."""
        if self.delay is not None:
            return self.delay
        places = [self.connect_to.get(_origin(url), url) for url in self.starts()]
        local = all(urlsplit(place).hostname in _LOOPBACK for place in places)
        return 0.0 if local else DELAY_SECONDS

    def starts(self) -> list[str]:
        """Return the start links, those of the seeds file read anew.

        Raises PlanError when that file is missing or names no web address.
        """
        if self.seeds is None:
            return self.start
        try:
            text = (self.folder / self.seeds).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"{self.path}: seeds: cannot read {self.seeds}: {error}") from error
        lines = [line.strip() for line in text.splitlines()]
        urls = [line for line in lines if line and not line.startswith("#")]
        try:
            return self.start + self._absolute(urls)
        except ValueError as error:
            raise PlanError(f"{self.path}: seeds: {self.seeds}: {error}") from error

    def values_of(self, example: int) -> dict[str, str | list[str] | None]:
        """Return what the plan tells of one example page; None where it tells nothing."""
        return {
            name: values[example] if example < len(values) else None
            for name, values in self.fields.items()
        }


def load_plan(path: Path, environment: Mapping[str, str] = os.environ) -> Plan:
    """Read and check a plan; `${NAME}` in its texts stands for environment variables.

    A folder stands for the plan.toml in it. Raises PlanError, one line with file, key and remedy.
    """
    path = path / "plan.toml" if path.is_dir() else path
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise PlanError(
            f"{path}: cannot be read ({error.strerror}): 'winze init URL' writes a plan"
        ) from error
    except UnicodeDecodeError as error:
        raise PlanError(
            f"{path}: is not UTF-8 text (byte {error.start}): save it as UTF-8"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise PlanError(
            f"{path}: is not TOML: {error}: texts and Chinese names need quotes, lists brackets,"
            ' such as start = ["https://host/"]'
        ) from error
    if "path" in table:
        raise PlanError(f"{path}: path: is not a key of a plan: delete it")
    filled = {key: _filled(value, environment, f"{path}: {key}") for key, value in table.items()}
    try:
        return Plan(path=path.absolute(), **filled)
    except ValidationError as error:
        raise PlanError(f"{path}: {_one_line(error, _used(table, environment))}") from error


def _filled(value: Any, environment: Mapping[str, str], where: str) -> Any:
    if isinstance(value, str):
        return _ENVIRONMENT.sub(lambda found: _variable(found[1], environment, where), value)
    if isinstance(value, list):
        return [_filled(item, environment, where) for item in value]
    if isinstance(value, dict):
        return {k: _filled(item, environment, f"{where}.{k}") for k, item in value.items()}
    return value


def _variable(name: str, environment: Mapping[str, str], where: str) -> str:
    if name not in environment:
        raise PlanError(f"{where}: ${{{name}}} is not set: export {name}=...")
    return environment[name]


def _used(table: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the plan's texts name."""
    return {name: environment[name] for name in _ENVIRONMENT.findall(str(table))}


def _one_line(error: ValidationError, variables: Mapping[str, str]) -> str:
    """Return the first fault as "key: what is wrong: what to write".

    Variables are told by their names: they are often secrets.
    """
    fault = error.errors()[0]
    # Union branches stand behind the key ("fields.price.0.str"): the user knows only the key.
    place = ".".join(str(part) for part in fault["loc"] if not _is_branch(part))
    message = _hidden(fault["msg"].removeprefix("Value error, "), variables)
    if fault["type"] == "extra_forbidden":
        return f"{place}: is not a key of a plan: {_remedy_for_key(fault['loc'])}"
    if fault["type"] == "value_error":
        return f"{place}: {message}" if place else message
    got = _hidden(repr(fault["input"]), variables)
    return f"{place}: {message[:1].lower()}{message[1:]}, not {got[:60]}"


def _hidden(text: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        text = text.replace(value, f"${{{name}}}") if value else text
    return text


def _is_branch(part: int | str) -> bool:
    return isinstance(part, str) and (part == "str" or part.startswith(("list[", "function-")))


def _remedy_for_key(place: Sequence[int | str]) -> str:
    parts: dict[str, type[BaseModel]] = {"limits": Limits, "filters": Filters}
    part = parts.get(str(place[0]), Plan)
    known = [name for name in part.model_fields if name != "path"]
    near = process.extractOne(str(place[-1]), known, score_cutoff=60)
    return f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"

"""learned.json: what the learn phase found out, for people to read and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from winze.errors import PlanError
from winze.extract.paths import Path as FieldPath
from winze.extract.wrapper import Field, Template, Wrapper
from winze.urls.patterns import Pattern

#: The form of the file (design, section 2).
VERSION = 1


@dataclass(frozen=True, slots=True)
class HostRules:
    """What was learned about the URLs and pages of one host."""

    host: str
    targets: tuple[Pattern, ...] = ()
    directories: tuple[Pattern, ...] = ()
    decided_by: Literal["url", "page"] = "page"
    weight_threshold: int = 1
    #: Least similarity with an example page, 0 to 1; None: not learned.
    similarity: float | None = None
    #: The example pages; their tag paths are computed from the saved pages.
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Learned:
    """All that was learned about a site."""

    rules: tuple[HostRules, ...] = ()
    wrapper: Wrapper = field(default_factory=Wrapper)
    #: Fields without which a record goes to quarantine.
    required: tuple[str, ...] = ()


def load_learned(path: Path) -> Learned | None:
    """Read learned.json; None if there is none.

    Raises PlanError, one line with file, key and remedy, when a hand edit broke it.
    """
    try:
        obj = json.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise PlanError(
            f"{path}: cannot be read: {error}: mend it or delete it to learn anew"
        ) from error
    try:
        return learned_from_json(obj)
    except (KeyError, TypeError, ValueError) as error:
        what = f"key {error} is missing" if isinstance(error, KeyError) else str(error)
        raise PlanError(f"{path}: {what}: mend it or delete it to learn anew") from error


def save_learned(path: Path, learned: Learned) -> None:
    """Write learned.json at once or not at all."""
    new = path.with_suffix(".new")
    new.write_text(
        json.dumps(learned_to_json(learned), ensure_ascii=False, indent=1) + "\n", "utf-8"
    )
    new.replace(path)


def learned_to_json(learned: Learned) -> dict[str, Any]:
    """Return the JSON object of version 1."""
    hosts = {rule.host: _rules_to_json(rule) for rule in learned.rules}
    return {
        "version": VERSION,
        "hosts": hosts,
        "required": list(learned.required),
        "templates": learned.wrapper.to_json(),
    }


def learned_from_json(obj: Any) -> Learned:
    """Read the JSON object of version 1, or P1's flat form of paths alone.

    Raises ValueError, TypeError or KeyError, each naming the key.
    """
    if not isinstance(obj, dict):
        raise ValueError("must be a JSON object")
    if "version" not in obj and "templates" not in obj:
        return Learned(wrapper=Wrapper.from_json(obj))
    if obj.get("version") != VERSION:
        raise ValueError(f"version: must be {VERSION}, not {obj.get('version')!r}")
    hosts = obj.get("hosts", {})
    if not isinstance(hosts, dict):
        raise ValueError("hosts: must be an object of host names")
    rules = tuple(_rules(host, part) for host, part in hosts.items())
    required = _texts(obj.get("required", []), "required")
    return Learned(rules, Wrapper.from_json(obj.get("templates", [])), required)


def merge_by_hand(new: Learned, old: Learned | None) -> Learned:
    """Return what was newly learned with the hand-written patterns and paths of an older file."""
    if old is None:
        return new
    before = {rule.host: rule for rule in old.rules}
    rules = [_with_hand_patterns(rule, before.pop(rule.host, None)) for rule in new.rules]
    rules += [rule for rule in before.values() if _by_hand(rule.targets + rule.directories)]
    wrapper = with_hand_paths(new.wrapper, old.wrapper)
    return replace(new, rules=tuple(rules), wrapper=wrapper, required=old.required)


def with_hand_paths(wrapper: Wrapper, by_hand: Wrapper) -> Wrapper:
    """Return a wrapper in which the hand-written paths of another come first, field by field."""
    ours = {template.id: template for template in wrapper.templates}
    front: list[Template] = []
    for theirs in by_hand.templates:
        fields = {one.name: one for one in theirs.fields if _hand_paths(one)}
        if theirs.id in ours:
            own = ours[theirs.id]
            ours[theirs.id] = replace(own, fields=_merged(own.fields, fields))
        elif fields or theirs.container is not None:
            # Of several templates the first that has a value gives it: the hand's own come first.
            front.append(replace(theirs, fields=tuple(fields.values())))
    return Wrapper((*front, *ours.values()))


def _merged(ours: Sequence[Field], by_hand: dict[str, Field]) -> tuple[Field, ...]:
    fields = [
        replace(own, paths=tuple(dict.fromkeys(_hand_paths(by_hand[own.name]) + own.paths)))
        if own.name in by_hand
        else own
        for own in ours
    ]
    known = {own.name for own in ours}
    return (*fields, *(theirs for name, theirs in by_hand.items() if name not in known))


def _hand_paths(column: Field) -> tuple[FieldPath, ...]:
    return tuple(path for path in column.paths if path.by == "hand")


def _with_hand_patterns(rule: HostRules, old: HostRules | None) -> HostRules:
    if old is None:
        return rule
    targets, directories = _by_hand(old.targets), _by_hand(old.directories)
    return replace(
        rule,
        targets=targets or rule.targets,
        directories=directories + rule.directories,
        decided_by=old.decided_by if targets else rule.decided_by,
    )


def _by_hand(patterns: Sequence[Pattern]) -> tuple[Pattern, ...]:
    return tuple(pattern for pattern in patterns if pattern.by == "hand")


def _rules_to_json(rule: HostRules) -> dict[str, Any]:
    return {
        "targets": [_pattern_to_json(pattern) for pattern in rule.targets],
        "directories": [_pattern_to_json(pattern) for pattern in rule.directories],
        "decided_by": rule.decided_by,
        "weight_threshold": rule.weight_threshold,
        "verifier": {"threshold": rule.similarity, "examples": list(rule.examples)},
    }


def _rules(host: str, obj: Any) -> HostRules:
    where = f"hosts.{host}"
    if not isinstance(obj, Mapping):
        raise ValueError(f"{where}: must be an object")
    verifier = obj.get("verifier") or {}
    if not isinstance(verifier, Mapping):
        raise ValueError(f"{where}.verifier: must be an object, not {verifier!r}")
    targets = _patterns(obj.get("targets", []), f"{where}.targets")
    # Whoever writes a target pattern by hand means it to tell the targets.
    decided_by = obj.get("decided_by", "url" if _by_hand(targets) else "page")
    if decided_by not in ("url", "page"):
        raise ValueError(f'{where}.decided_by: must be "url" or "page", not {decided_by!r}')
    return HostRules(
        host=host,
        targets=targets,
        directories=_patterns(obj.get("directories", []), f"{where}.directories"),
        decided_by=decided_by,
        weight_threshold=_whole(obj.get("weight_threshold", 1), f"{where}.weight_threshold"),
        similarity=_share(verifier.get("threshold"), f"{where}.verifier.threshold"),
        examples=_texts(verifier.get("examples", []), f"{where}.verifier.examples"),
    )


def _whole(number: Any, where: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{where}: must be a whole number, not {number!r}")
    return number


def _share(number: Any, where: str) -> float | None:
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        raise ValueError(f"{where}: must be a number from 0 to 1 or null, not {number!r}")
    return float(number)


def _texts(texts: Any, where: str) -> tuple[str, ...]:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{where}: must be a list of texts, not {texts!r}")
    return tuple(texts)


def _pattern_to_json(pattern: Pattern) -> dict[str, Any]:
    return {
        "regex": pattern.regex,
        "support": pattern.support,
        "samples": list(pattern.samples),
        "by": pattern.by,
    }


def _patterns(objects: Any, where: str) -> tuple[Pattern, ...]:
    if not isinstance(objects, list):
        raise ValueError(f"{where}: must be a list")
    return tuple(_pattern(obj, f"{where}[{n}]") for n, obj in enumerate(objects))


def _pattern(obj: Any, where: str) -> Pattern:
    """Read one pattern; a bare text is a regex written by hand."""
    if isinstance(obj, str):
        obj = {"regex": obj, "by": "hand"}
    if not isinstance(obj, Mapping) or not isinstance(obj.get("regex"), str):
        raise ValueError(f'{where}: must be {{"regex": "...", "by": "hand"}}')
    by: Literal["learned", "hand"] = "learned" if obj.get("by") == "learned" else "hand"
    support = _whole(obj.get("support", 0), f"{where}.support")
    pattern = Pattern(obj["regex"], support, _texts(obj.get("samples", []), f"{where}.samples"), by)
    try:
        pattern.matches("")
    except ValueError as error:
        raise ValueError(f"{where}.regex: {error}") from error
    return pattern

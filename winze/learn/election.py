"""Which of the tried paths a field keeps, and with what confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from statistics import fmean

from winze.extract.paths import Path
from winze.learn.candidates import NAMED_PRIOR, names_field
from winze.learn.trials import Told, Trial, set_f1

#: Paths kept for a field (or part of one): enough for a vote, few enough to be read.
KEPT = 12

#: Paths kept of one family: they err together.
KEPT_OF_FAMILY = 5

#: Paths kept to one place on an example page.
KEPT_OF_PLACE = 6

#: A trial this close to the best is as good.
_TIE = 0.02

#: Another part of a list must add this much F1 on the examples.
_PART_GAIN = 0.1

#: Parts of a list at most.
_MAX_PARTS = 6

#: Confidence of a path that is right on every example and has nothing else going for it.
_PLAIN_CONFIDENCE = 0.67

#: Trials of which other pages are asked: the best few times as many as are kept.
_ASKED = 40

#: What is left of a path that finds nothing good on other pages.
_MISBEHAVED = 0.3

#: What a trial is worth.
Weight = Callable[[Trial], float]


def always(_: Trial) -> float:
    """Return 1: there are no other pages to ask."""
    return 1.0


def elect_single(
    field: str, trials: Sequence[Trial], told: Sequence[Told], behaviour: Weight = always
) -> list[Path]:
    """Return the paths of a field with one value.

    The best on all examples, and for each example that they miss (another layout) the best there.
    `behaviour` tells how well a path does on pages without labels, 0 to 1.
    """

    def weight(trial: Trial) -> float:
        return plain_weight(field, trial) * trial.uniqueness * trial.score**2 * 0.5**trial.wrong

    kept = _voters(trials, lambda trial: trial.score, weight, behaviour)
    for at, each in enumerate(told):
        if not each.folded or any(trial.found[at] == each.folded[:1] for trial in kept):
            continue
        fitting = [trial for trial in trials if trial.found[at] == each.folded[:1]]
        kept |= _voters(fitting, lambda trial: -trial.wrong, weight, behaviour)
    return [_path(trial, amount) for trial, amount in kept.items()]


def elect_many(
    field: str, trials: Sequence[Trial], told: Sequence[Told], behaviour: Weight = always
) -> list[Path]:
    """Return the paths of a field with several values.

    If no path gives all of them, several places are added up, each with its own vote: parts.
    """

    def weight(trial: Trial) -> float:
        return plain_weight(field, trial) * sqrt(trial.score) * 0.8**trial.wrong

    precise = [trial for trial in trials if not trial.wrong]
    choices = [_parts(trials, told), _parts(precise, told)]
    parts = max(choices, key=lambda parts: _union_score(parts, told))
    paths: list[Path] = []
    for number, part in enumerate(parts):
        others = [trial for trial in parts if trial is not part]
        share = partial(_score_beside, others, told)
        kept = _voters(trials, share, weight, behaviour)
        paths += [replace(_path(trial, amount), part=number) for trial, amount in kept.items()]
    return paths


def _score_beside(others: Sequence[Trial], told: Sequence[Told], trial: Trial) -> float:
    return _union_score([*others, trial], told)


def plain_weight(field: str, trial: Trial) -> float:
    """Return what is known of a path without its trial."""
    named = NAMED_PRIOR if names_field(trial.candidate.path, field) else 1.0
    return named * trial.candidate.prior


def _path(trial: Trial, weight: float) -> Path:
    return replace(trial.candidate.path, confidence=min(weight * _PLAIN_CONFIDENCE, 1.0))


def _voters(
    trials: Sequence[Trial], score: Weight, weight: Weight, behaviour: Weight
) -> dict[Trial, float]:
    """Return the best trials by score, of those the best by weight; with their weights."""
    scored = [(score(trial), trial) for trial in trials]
    best = max((amount for amount, _ in scored), default=0.0)
    ranked = sorted(
        (trial for amount, trial in scored if amount >= best - _TIE), key=weight, reverse=True
    )
    weighed = {
        trial: weight(trial) * (_MISBEHAVED + (1 - _MISBEHAVED) * behaviour(trial))
        for trial in ranked[:_ASKED]
    }
    kept = _diverse(sorted(weighed, key=lambda trial: weighed[trial], reverse=True))
    return {trial: weighed[trial] for trial in kept}


def _diverse(ranked: Sequence[Trial]) -> list[Trial]:
    """Return the first trials that don't all rest on the same thing."""
    kept: list[Trial] = []
    heard: Counter[object] = Counter()
    for trial in ranked:
        candidate = trial.candidate
        path = candidate.path
        twin = (path.css, path.after_label, path.nth_text if path.after_label else None, path.attr)
        limits = {twin: 1, candidate.family: KEPT_OF_FAMILY, candidate.place: KEPT_OF_PLACE}
        if len(kept) < KEPT and all(heard[key] < most for key, most in limits.items()):
            heard.update(limits.keys())
            kept.append(trial)
    return kept


def _parts(trials: Sequence[Trial], told: Sequence[Told]) -> list[Trial]:
    """Return trials that add up to the values, one for each place, the greatest first."""
    distinct = list({trial.found: trial for trial in trials}.values())
    parts: list[Trial] = []
    reached = 0.0
    while len(parts) < _MAX_PARTS and distinct:
        fitting = [trial for trial in distinct if _may_join(trial, parts, told)]
        if not fitting:
            break
        best = max(fitting, key=lambda trial: _union_score([*parts, trial], told))
        score = _union_score([*parts, best], told)
        if score < reached + _PART_GAIN:
            break
        parts.append(best)
        reached = score
    return parts


def _may_join(trial: Trial, parts: Sequence[Trial], told: Sequence[Told]) -> bool:
    """Is a place there on every example, or else on one of which nothing was found yet?"""
    if not parts:
        return True
    asked = [at for at, each in enumerate(told) if each.folded]
    unserved = [at for at in asked if not any(part.found[at] for part in parts)]
    return all(trial.found[at] for at in unserved or asked)


def _union_score(parts: Sequence[Trial], told: Sequence[Told]) -> float:
    return fmean(
        set_f1([value for part in parts for value in part.found[at]], each.folded)
        for at, each in enumerate(told)
    )

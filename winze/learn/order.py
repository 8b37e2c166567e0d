"""The link model: which waiting link is most likely worth its fetch (design 6.2)."""

from __future__ import annotations

import io
import math
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from winze.frontier.queue import Candidate
from winze.learn.link_features import KEYWORD, SPACE, WIDTH, Features, features_of

#: AdaGrad's step.
LEARNING_RATE = 0.3

#: The bias moves slower than a feature, or the first misses would silence all links.
BIAS_RATE = 0.1

#: Old observations seen again at each new one, so that few examples are used well.
REPLAYS = 4

#: Observations kept for replay; beyond it a new one takes the place of a random old one.
MEMORY = 4096

#: Prior weight of naming a keyword, per nat of the keywords' rarity, and its bound.
KEYWORD_PRIOR = 4.0
KEYWORD_PRIOR_MAX = 8.0

#: New links of a page that its value looks at.
VALUED_LINKS = 60

#: Version of the stored state.
_STATE_VERSION = 1

#: Start of AdaGrad's sums of squares; a feature never seen keeps it.
_EPSILON = 1e-6

_TARGET, _VALUE = 0, 1

_Estimates = NDArray[np.float32]


class LinkModel:
    """Online logistic regression with two outputs over hashed features of a link.

    Output p says how likely a target lies behind the link; output y what the links of the page
    behind it are worth, in targets a fetch. AdaGrad with replay; deterministic for a seed.
    """

    #: Most features a candidate has.
    width = WIDTH

    def __init__(self, keywords: Sequence[str] = (), *, seed: int = 0) -> None:
        """`keywords` are the folded words that speak for a page (Expression.words)."""
        self.keywords = tuple(keywords)
        self._seed = seed
        self._random = random.Random(seed)
        self._weights = np.zeros((SPACE, 2), dtype=np.float32)
        self._squares = np.full((SPACE, 2), _EPSILON, dtype=np.float32)
        self._bias = np.zeros(2)
        self._bias_squares = np.full(2, _EPSILON)
        self._memory: list[_Observation] = []
        self._observed = 0
        self._judged = 0
        self._held = 0
        self._prior = 0.0

    def features(self, candidate: Candidate) -> Features:
        """Return the features of a candidate's link; stable from run to run."""
        return features_of(candidate, parent=candidate.parent, keywords=self.keywords)

    def scores(self, matrix: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return max(p, y) for each row of features (zeros fill a row up)."""
        best: NDArray[np.float32] = self.estimates(matrix).max(axis=1)
        return best

    def estimates(self, matrix: NDArray[np.int32]) -> _Estimates:
        """Return p and y for each row of features."""
        scale = 1.0 / np.sqrt(np.count_nonzero(matrix, axis=1) + 1.0)
        # both weights of a feature are read as one complex number: 15 times as fast
        sums = self._weights.view(np.complex64)[:, 0].take(matrix).sum(axis=1)
        logits = sums.view(np.float32).reshape(-1, 2) * scale[:, None] + self._bias
        estimates: _Estimates = _logistic(logits).astype(np.float32)
        return estimates

    def likelihoods(self, candidates: Sequence[Candidate]) -> dict[str, float]:
        """Return p for the URL of each candidate: how likely a target lies behind it."""
        rows = [
            one.features if one.features is not None else self.features(one) for one in candidates
        ]
        likely = self.estimates(_matrix(rows))[:, _TARGET].tolist()
        return {one.url: p for one, p in zip(candidates, likely, strict=True)}

    def observe_example(self, url: str) -> None:
        """Learn that a target lies behind this URL, before any page was fetched."""
        self.observe(self.features(Candidate(url, "")), target=1.0)

    def observe_page(
        self,
        page: Candidate,
        found: Sequence[Candidate],
        *,
        is_target: bool,
        keywords: bool | None = None,
    ) -> None:
        """Learn from a fetched page: its verdict, and the links that no page had shown before.

        `found` gets its features here, so that pushing it is cheap. `keywords` says whether the
        expression held on the page's text; None without one or without a text.
        """
        for candidate in found:
            if candidate.features is None:
                candidate.features = self.features(candidate)
        if keywords is not None:
            self._observe_keywords(holds=keywords)
        features = page.features if page.features is not None else self.features(page)
        self.observe(features, target=float(is_target), value=self.page_value(found))

    def observe(self, features: Features, *, target: float, value: float = math.nan) -> None:
        """Learn one observation and some old ones again; a value of NaN is not known."""
        observation = (features, target, value)
        self._observed += 1
        if len(self._memory) < MEMORY:
            self._memory.append(observation)
        else:
            self._memory[self._random.randrange(MEMORY)] = observation
        self._step(*observation)
        for _ in range(min(REPLAYS, len(self._memory))):
            self._step(*self._memory[self._random.randrange(len(self._memory))])

    def page_value(self, found: Sequence[Candidate]) -> float:
        """Return what the new links of a page are worth, in targets a fetch.

        The best of (sum of the k highest p) / (1 + k): one fetch pays for the page itself.
        """
        rows = [candidate.features for candidate in found if candidate.features is not None]
        if not rows:
            return 0.0
        best = np.sort(self.estimates(_matrix(rows))[:, _TARGET])[::-1][:VALUED_LINKS]
        return float((np.cumsum(best) / np.arange(2, len(best) + 2)).max())

    def _observe_keywords(self, *, holds: bool) -> None:
        """Weigh the keywords by their rarity over the crawl: common ones tell nothing."""
        self._judged += 1
        self._held += holds
        rarity = math.log((self._judged + 1) / (self._held + 1))
        prior = min(KEYWORD_PRIOR_MAX, KEYWORD_PRIOR * rarity)
        self._weights[KEYWORD, _TARGET] += prior - self._prior
        self._prior = prior

    def _step(self, features: Features, target: float, value: float) -> None:
        scale = 1.0 / math.sqrt(len(features) + 1)
        weights = self._weights[features]
        error = _logistic(weights.sum(axis=0) * scale + self._bias)
        error[_TARGET] -= target
        error[_VALUE] = 0.0 if math.isnan(value) else error[_VALUE] - value
        gradient = (error * scale).astype(np.float32)
        squares = self._squares[features] + gradient * gradient
        self._squares[features] = squares
        self._weights[features] = weights - LEARNING_RATE * gradient / np.sqrt(squares)
        self._bias_squares += error * error
        self._bias -= BIAS_RATE * error / np.sqrt(self._bias_squares)

    def to_bytes(self) -> bytes:
        """Return the state as a compressed npz; a restart goes on from it."""
        used = np.flatnonzero((self._squares > _EPSILON).any(axis=1) | self._weights.any(axis=1))
        rows = [features for features, _, _ in self._memory]
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            counts=np.array([_STATE_VERSION, self._observed, self._judged, self._held]),
            prior=np.array(self._prior),
            used=used.astype(np.int32),
            weights=self._weights[used],
            squares=self._squares[used],
            bias=np.stack([self._bias, self._bias_squares]),
            lengths=np.array([len(row) for row in rows], dtype=np.int32),
            features=np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32),
            labels=np.array([row[1:] for row in self._memory], dtype=np.float64).reshape(-1, 2),
        )
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, state: bytes, keywords: Sequence[str] = (), *, seed: int = 0) -> LinkModel:
        """Return the model whose `to_bytes` gave this state.

        Raises ValueError for another version's state: forget it and learn anew.
        """
        model = cls(keywords, seed=seed)
        with np.load(io.BytesIO(state), allow_pickle=False) as arrays:
            version, model._observed, model._judged, model._held = arrays["counts"].tolist()
            if version != _STATE_VERSION:
                raise ValueError(f"link model of version {version}, not {_STATE_VERSION}")
            model._prior = float(arrays["prior"])
            model._weights[arrays["used"]] = arrays["weights"]
            model._squares[arrays["used"]] = arrays["squares"]
            model._bias, model._bias_squares = arrays["bias"]
            rows = np.split(arrays["features"], np.cumsum(arrays["lengths"])[:-1])
            labels = arrays["labels"].tolist()
        model._memory = [(row, *label) for row, label in zip(rows, labels, strict=False)]
        model._random = random.Random(f"{seed} {model._observed}")
        return model


_Observation = tuple[Features, float, float]


def _matrix(rows: Sequence[Features]) -> NDArray[np.int32]:
    """Return rows of features filled up with zeros."""
    matrix = np.zeros((len(rows), WIDTH), dtype=np.int32)
    for row, features in zip(matrix, rows, strict=True):
        row[: len(features)] = features
    return matrix


def _logistic(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    probabilities: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))
    return probabilities

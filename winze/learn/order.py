"""The link model: which waiting link is most likely worth its fetch (design 6.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from winze.learn.link_features import KEYWORD, PADDING, SPACE, Features, LinkLike, features_of

#: One score a row.
Scores = NDArray[np.float32]

#: AdaGrad's step (bench.order: 0.1 learns too late, 1.0 forgets).
LEARNING_RATE = 0.3

#: Old observations seen again at each new one, so that few examples are used well.
REPLAYS = 4

#: Observations kept for replay; beyond it a new one takes the place of a random old one.
MEMORY = 4096

#: Prior weight of a link that names a keyword, times the keywords' rarity (nats of idf).
KEYWORD_PRIOR = 4.0
KEYWORD_PRIOR_MAX = 8.0

#: New links of a page that its value looks at.
VALUED_LINKS = 60

_TARGET, _VALUE = 0, 1


class LinkModel:
    """Online logistic regression with two outputs over hashed binary features of a link.

    The first says how likely a target lies behind the link, the second what the links of the
    page behind it are worth. AdaGrad with replay; deterministic for a seed.
    """

    def __init__(self, keywords: Sequence[str] = (), *, seed: int = 0) -> None:
        self.keywords = tuple(keywords)
        self._random = random.Random(seed)
        self._weights = np.zeros((SPACE, 2), dtype=np.float32)
        self._squares = np.full((SPACE, 2), 1e-6, dtype=np.float32)
        self._bias = np.zeros(2)
        self._bias_squares = np.full(2, 1e-6)
        self._memory: list[tuple[Features, float, float]] = []
        self._seen = 0
        self._pages = 0
        self._keyword_pages = 0
        self._prior = 0.0

    def features(self, link: LinkLike, *, parent: str = "") -> Features:
        return features_of(link, parent=parent, keywords=self.keywords)

    def observe(self, features, *, target: float, value: float | None = None) -> None:
        row = (features, target, math.nan if value is None else value)
        self._seen += 1
        if len(self._memory) < MEMORY:
            self._memory.append(row)
        else:
            self._memory[self._random.randrange(MEMORY)] = row
        self._step(*row)
        for _ in range(min(REPLAYS, len(self._memory))):
            self._step(*self._memory[int(self._random.random() * len(self._memory))])

    def observe_keywords(self, *, holds: bool) -> None:
        self._pages += 1
        self._keyword_pages += holds
        rarity = math.log((self._pages + 1) / (self._keyword_pages + 1))
        prior = min(KEYWORD_PRIOR_MAX, KEYWORD_PRIOR * rarity)
        self._weights[KEYWORD, _TARGET] += prior - self._prior
        self._prior = prior

    def _step(self, features, target, value):
        scale = 1.0 / math.sqrt(len(features) + 1)
        rows = self._weights[features]
        logit = rows.sum(axis=0) * scale + self._bias
        error = 1.0 / (1.0 + np.exp(-np.clip(logit, -30, 30))) - (target, value)
        if value != value:
            error[_VALUE] = 0.0
        gradient = (error * scale).astype(np.float32)
        squares = self._squares[features] + gradient * gradient
        self._squares[features] = squares
        self._weights[features] = rows - LEARNING_RATE * gradient / np.sqrt(squares)
        self._bias_squares += error * error
        self._bias -= 0.3 * LEARNING_RATE * error / np.sqrt(self._bias_squares)

    def estimates(self, matrix):
        """p and y for padded rows."""
        counts = np.count_nonzero(matrix, axis=1)
        logits = self._weights[matrix].sum(axis=1)
        logits *= (1.0 / np.sqrt(counts + 1.0))[:, None]
        logits += self._bias
        return 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))

    def scores(self, matrix):
        return self.estimates(matrix).max(axis=1)

    def page_value(self, matrix) -> float:
        if not len(matrix):
            return 0.0
        best = np.sort(self.estimates(matrix)[:, _TARGET])[::-1][:VALUED_LINKS]
        return float((np.cumsum(best) / np.arange(2, len(best) + 2)).max())

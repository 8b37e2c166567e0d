"""A host's turn, for whoever asks it by other means than the client: the browser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from winze.model import ErrorCode, Response


@dataclass(slots=True)
class Turn:
    """One request's turn at its host."""

    #: Why the host must not be asked (robots.txt, given up); OK when it may.
    refusal: ErrorCode = ErrorCode.OK
    #: What the host said, for its pace; whoever had the turn sets it.
    answer: Response | None = None
    #: To be called when the request has gone out, so that the pace counts from then.
    sent: Callable[[], None] = lambda: None


#: Waits until a URL's host may be asked, and holds its place until the context ends.
Turns = Callable[[str], AbstractAsyncContextManager[Turn]]

"""An answer whose body is read piece by piece, for files too large to hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from winze.model import ErrorCode, Response


async def _nothing() -> AsyncIterator[bytes]:
    no_pieces: tuple[bytes, ...] = ()
    for piece in no_pieces:
        yield piece


@dataclass(slots=True)
class Stream:
    """An answer that has begun; its body as it comes."""

    #: Without its body.
    response: Response
    #: Pieces as they were sent: no coding is undone.
    chunks: AsyncIterator[bytes] = field(default_factory=_nothing)
    #: Why there is no whole body; known when the chunks have come to their end.
    error: ErrorCode = ErrorCode.OK

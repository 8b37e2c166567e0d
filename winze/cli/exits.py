"""Exit codes, and how errors become one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from winze.errors import CheckFailedError, NothingFoundError, PlanError, UsageError, WinzeError


class Exit(IntEnum):
    """What a command's exit code says."""

    #: Done; reaching a limit is done, too.
    OK = 0
    ERROR = 1
    #: The command line or the plan must be mended.
    USAGE = 2
    #: Look: much is in quarantine, a host was given up, or kept pages fail their check.
    LOOK = 3
    NOTHING_FOUND = 4
    INTERRUPTED = 130


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End the program with one line on stderr and the right code for what the user can mend."""
    try:
        yield
    except WinzeError as error:
        _end(error, code_of(error))
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone (`winze export - | head`).
        sys.stderr.close()
        sys.exit(Exit.OK)


def code_of(error: WinzeError) -> Exit:
    """Return the exit code of what ended a run.

    >>> code_of(PlanError("start: is missing")).name
    'USAGE'
    """
    codes = {
        PlanError: Exit.USAGE,
        UsageError: Exit.USAGE,
        NothingFoundError: Exit.NOTHING_FOUND,
        CheckFailedError: Exit.LOOK,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), Exit.ERROR)


def _end(error: WinzeError, code: Exit) -> None:
    print(f"winze: {' '.join(str(error).split())}", file=sys.stderr)  # noqa: T201
    sys.exit(code)

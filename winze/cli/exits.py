"""Exit codes, and how errors become one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from winze.errors import NothingFoundError, PlanError, UsageError, WinzeError


class Exit(IntEnum):
    """What a command's exit code says."""

    #: Done; reaching a limit is done, too.
    OK = 0
    ERROR = 1
    #: The command line or the plan must be mended.
    USAGE = 2
    #: Finished, but look: much in quarantine, or a host was given up.
    LOOK = 3
    NOTHING_FOUND = 4
    INTERRUPTED = 130


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End the program with one line on stderr and the right code for what the user can mend."""
    try:
        yield
    except (PlanError, UsageError) as error:
        _end(error, Exit.USAGE)
    except NothingFoundError as error:
        _end(error, Exit.NOTHING_FOUND)
    except WinzeError as error:
        _end(error, Exit.ERROR)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone (`winze export - | head`).
        sys.stderr.close()
        sys.exit(Exit.OK)


def _end(error: WinzeError, code: Exit) -> None:
    print(f"winze: {' '.join(str(error).split())}", file=sys.stderr)  # noqa: T201
    sys.exit(code)

"""The errors that stop a run; everything a bad site does is data instead (see ErrorCode)."""


class WinzeError(Exception):
    """A run cannot go on; the message is one line for the user."""


class PlanError(WinzeError):
    """The user's plan must be mended; the message says where and how."""


class UsageError(WinzeError):
    """The command line must be mended; the message says how."""


class NothingFoundError(WinzeError):
    """The site gave nothing to learn from or to keep; the message says what was seen."""


class CheckFailedError(WinzeError):
    """The learned rules do not give what they gave; going on could spoil good records."""


class BusyError(WinzeError):
    """Another process is crawling this site."""

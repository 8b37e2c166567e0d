"""Which pages a browser shall draw: decided from what the page as it was sent lacks."""

from __future__ import annotations

from dataclasses import dataclass

from winze.engine.site import Site
from winze.learn.link_features import url_form
from winze.model import ErrorCode, Page, Status, Visit
from winze.urls.canonical import host_of

#: A page with fewer visible characters, those of links included, and scripts, is most likely drawn
#: by them (engine.examples.LEAST_TEXT).
LEAST_TEXT = 200

#: Times that drawing a URL form's pages may be tried without helping once.
FORM_TRIES = 3

#: The same for a host, of all its forms together.
HOST_TRIES = 10

#: Whole pages of a URL form, as sent, after which one that lacks something lacks it by itself.
FORM_WHOLE = 3

#: Times that drawing helped without ever failing to, after which a form's pages are not asked for
#: as they are sent any more.
PROVEN = 5

#: What a story with a good record is worth.
GOOD = 2

#: A drawn page must have so many times the links or the text to be the better one.
MUCH_MORE = 1.5


def lacks_something(story: Visit, site: Site) -> bool:
    """Does a page as it was sent lack what the site's wrapper, form or text should give?

    Only scripts could bring it, so a page without scripts lacks nothing.
    """
    if story.page.status is not Status.FETCHED or not story.evidence.scripts:
        return False
    if story.record is not None:
        return bool(story.record.reason)
    if story.evidence.url_match is True and story.evidence.keywords is not False:
        return True
    anchors = sum(len(link.anchor) for link in story.links)
    return story.evidence.text_length + anchors < LEAST_TEXT


def is_whole(story: Visit) -> bool:
    """Did a page give a good record?"""
    return _worth(story) == GOOD


def is_better(drawn: Visit, sent: Visit) -> bool:
    """Does the drawn page give more than the one that was sent: a record, links, text?"""
    if not _is_whole(drawn.page):
        return False
    if _worth(drawn) != _worth(sent):
        return _worth(drawn) > _worth(sent)
    if len(drawn.links) > max(MUCH_MORE * len(sent.links), len(sent.links) + 2):
        return True
    return drawn.evidence.text_length > max(LEAST_TEXT, MUCH_MORE * sent.evidence.text_length)


@dataclass(slots=True)
class Tally:
    """How often drawing was tried, and how often it helped."""

    tried: int = 0
    helped: int = 0
    #: Pages that lacked nothing as they were sent.
    whole: int = 0

    def add(self, *, helped: bool) -> None:
        """Count one more try."""
        self.tried += 1
        self.helped += helped


class RenderChoice:
    """Remembers, by URL form and by host, where drawing pages helps.

    >>> choice = RenderChoice()
    >>> choice.may_help("http://a.example/p/1"), choice.is_proven("http://a.example/p/1")
    (True, False)
    >>> for n in range(5):
    ...     choice.learn(f"http://a.example/p/{n}", helped=True)
    >>> choice.is_proven("http://a.example/p/9"), choice.is_proven("http://a.example/list")
    (True, False)
    """

    def __init__(self) -> None:
        self._forms: dict[str, Tally] = {}
        self._hosts: dict[str, Tally] = {}

    def note_whole(self, url: str) -> None:
        """Take note of a page that gave a good record as it was sent."""
        self._forms.setdefault(url_form(url), Tally()).whole += 1

    def learn(self, url: str, *, helped: bool) -> None:
        """Take note of one try."""
        self._forms.setdefault(url_form(url), Tally()).add(helped=helped)
        self._hosts.setdefault(host_of(url), Tally()).add(helped=helped)

    def prove(self, url: str) -> None:
        """Take note that pages of a URL's form must be drawn: an example page had to be."""
        self._forms[url_form(url)] = Tally(PROVEN, PROVEN)
        self._hosts.setdefault(host_of(url), Tally()).add(helped=True)

    def may_help(self, url: str) -> bool:
        """Could drawing help a page of this URL, by what it did for its form and its host?"""
        form = self._forms.get(url_form(url), Tally())
        host = self._hosts.get(host_of(url), Tally())
        is_sent_whole = form.whole >= FORM_WHOLE and not form.helped
        return not (is_sent_whole or _is_vain(form, FORM_TRIES) or _is_vain(host, HOST_TRIES))

    def is_proven(self, url: str) -> bool:
        """Has drawing helped with every page of this URL's form, and often enough?"""
        form = self._forms.get(url_form(url))
        return form is not None and form.tried == form.helped >= PROVEN


def _is_vain(tally: Tally, tries: int) -> bool:
    return tally.tried >= tries and not tally.helped


def _is_whole(page: Page) -> bool:
    return page.status is Status.FETCHED and page.error in (ErrorCode.OK, ErrorCode.VALIDATE_ERROR)


def _worth(story: Visit) -> int:
    """Return 0 for a page without a record, 1 for one in quarantine, GOOD for a good one."""
    if story.record is None:
        return 0
    return 1 if story.record.reason else GOOD

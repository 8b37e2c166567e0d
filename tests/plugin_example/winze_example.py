"""One plug-in for each of Winze's five points, and a broken one for each."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from winze.engine.order import Order
from winze.frontier.queue import Candidate


def diary(fetch, options):
    """Note each URL that is asked for in a file: `fetch.diary = { file = "diary.txt" }`."""
    path = Path(str(options["file"]))

    async def fetch_and_note(request):
        response = await fetch(request)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{response.http_status} {request.url}\n")
        return response

    return fetch_and_note


class Without:
    """Refuse URLs in which a word stands: `link_filter.without = { word = "print" }`."""

    def __init__(self, options):
        if not isinstance(options.get("word"), str):
            raise ValueError('needs a word, such as { word = "print" }')
        self.word = options["word"]

    def __call__(self, url):
        return self.word not in url


@dataclass(frozen=True)
class WordCount:
    """Add the field `words`: how many words a page has."""

    fields = ("words",)

    def __call__(self, page, tree):
        return {"words": str(len(page.text.split())), "title": "the plan's own wins"}


def word_count(options):
    return WordCount()


class Stack:
    """Last in, first out."""

    def __init__(self):
        self.urls: list[Candidate] = []

    def push(self, candidate: Candidate) -> None:
        self.urls.append(candidate)

    def pop(self, busy: Collection[str] = ()) -> Candidate | None:
        for place in reversed(range(len(self.urls))):
            if self.urls[place].host not in busy:
                return self.urls.pop(place)
        return None

    def waiting(self) -> list[Candidate]:
        return list(self.urls)

    def __len__(self) -> int:
        return len(self.urls)


class LastIn(Order):
    """Depth first: what was found last is fetched next."""

    keeps_order = False


def last_in(model, options):
    return LastIn(Stack())


class Tsv:
    """Values with a tab between them, for `-o table.tsv`."""

    def __init__(self, fields):
        self.fields = fields

    def head(self):
        return ("\t".join(["url", *self.fields]) + "\n").encode()

    def line(self, record):
        cells = [record.url, *(record.fields.get(name) for name in self.fields)]
        return ("\t".join(map(_cell, cells)) + "\n").encode()


def _cell(value) -> str:
    text = " | ".join(value) if isinstance(value, list) else value or ""
    return " ".join(text.split())


# How plug-ins go wrong.


def fail_at(url):
    raise ZeroDivisionError("the filter is broken")


def broken_filter(options):
    return fail_at


@dataclass(frozen=True)
class BrokenExtractor:
    fields = ("extra",)
    pages: tuple[str, ...] = ()

    def __call__(self, page, tree):
        if not self.pages or page.url.endswith(self.pages):
            raise KeyError("no extra here")
        return {"extra": "yes"}


def broken_extractor(options):
    return BrokenExtractor(tuple(options.get("pages", ())))


def broken_fetch(fetch, options):
    async def fetch_or_fail(request):
        if request.url.endswith(str(options.get("page", ""))):
            raise OSError("the mirror is down")
        return await fetch(request)

    return fetch_or_fail


class BrokenOrder(Order):
    def push(self, candidates: Iterable[Candidate]) -> None:
        raise IndexError("the queue is broken")


def broken_order(model, options):
    return BrokenOrder()


class BrokenSink:
    def __init__(self, fields):
        pass

    def head(self):
        return b""

    def line(self, record):
        return "text, not bytes"

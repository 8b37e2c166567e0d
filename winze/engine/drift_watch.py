"""A run's fields watched for drift: counted visit by visit, compared and kept at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from winze.engine.workspace import SiteStore
from winze.judge.drift import Alarm, Tally, alarms
from winze.model import Status, Visit
from winze.parse.page import read_page
from winze.plan import Plan
from winze.store import records, runs

#: The name under which the counts of the runs before are kept.
_STATE = "fields"

#: Target pages from which on a run may be what later ones are compared with.
_LEAST = 10


class DriftWatch:
    """Counts the fields of one run's target pages and tells what changed; one a crawl."""

    def __init__(self, store: SiteStore, names: Sequence[str], *, fresh: bool) -> None:
        """`names` are the wrapper's fields; a `fresh` run sees pages that gave records before."""
        self.now = Tally()
        self._store = store
        self._names = names
        self._fresh = fresh
        with store.read() as connection:
            state = runs.load_model(connection, store.site_id, _STATE)
            known = records.good_urls(connection, store.site_id) if fresh and names else ()
            self._had_records = frozenset(map(hash, known))
        self.before = _read(state)

    def hear(self, visit: Visit) -> None:
        """Count a visit: a target page, or one that was and gives nothing now."""
        if not self._names or visit.page.status is not Status.FETCHED:
            return
        if visit.record is not None:
            fields = {name: visit.record.fields.get(name) for name in self._names}
            self.now.add(visit.page.url, fields, visit.record.typed)
        elif hash(visit.page.url) in self._had_records:
            self.now.add(visit.page.url, dict.fromkeys(self._names), {})

    def conclude(self) -> list[Alarm]:
        """Return what changed; without a change this run is what the next is compared with."""
        found = alarms(self.before, self.now, same_pages=self._fresh)
        if not found and self.now.pages:
            is_new = self._fresh and 2 * self.now.pages >= self.before.pages >= _LEAST
            keep_baseline(self._store, self.now if is_new else self.before.joined(self.now))
        return found


def keep_baseline(store: SiteStore, tally: Tally) -> None:
    """Let later runs be compared with this one; an empty one lets the next run decide."""
    blob = json.dumps(tally.to_json(), ensure_ascii=False).encode()
    with store.write() as connection:
        runs.save_model(connection, store.site_id, _STATE, blob, store.clock())


def tally_of(table: Iterable[tuple[str, Mapping[str, str | list[str] | None]]]) -> Tally:
    """Return the counts of records, each with its page's URL."""
    tally = Tally()
    for url, fields in table:
        tally.add(url, fields, {})
    return tally


def keep_evidence(plan: Plan, store: SiteStore, found: Sequence[Alarm]) -> None:
    """Keep the first page of each alarm as `drift/DATE/FIELD.html` beside the plan."""
    day = datetime.fromtimestamp(store.clock(), UTC).date().isoformat()
    folder = plan.folder / "drift" / day
    for alarm in found:
        answer = store.answer(alarm.url)
        if answer is None:
            continue
        _, tree = read_page(answer)
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w-]+", "_", alarm.name)
        html = tree.parser.html if tree is not None else ""
        (folder / f"{name}.html").write_text(html or "", "utf-8")


def _read(state: bytes | None) -> Tally:
    try:
        return Tally.from_json(json.loads(state)) if state else Tally()
    except (ValueError, TypeError, AttributeError):
        return Tally()  # another version's: this run begins anew

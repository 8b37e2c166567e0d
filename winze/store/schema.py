"""The tables (design, section 4). Migrations lead an older store here; see migrations/."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

#: SQLite counts up by itself only in an INTEGER key.
_Id: TypeEngine[int] = BigInteger().with_variant(Integer(), "sqlite")

site = Table(
    "site",
    metadata,
    Column("id", Integer, primary_key=True),
    #: The plan's folder or file name.
    Column("name", String(200), nullable=False, unique=True),
)

model = Table(
    "model",
    metadata,
    Column("site_id", ForeignKey("site.id"), primary_key=True),
    Column("name", String(60), primary_key=True),
    Column("blob", LargeBinary, nullable=False),
    Column("updated_at", Double, nullable=False),
)

run = Table(
    "run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("site_id", ForeignKey("site.id"), nullable=False, index=True),
    Column("verb", String(20), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("stop_reason", String(200)),
    #: JSON: pages, targets, records, errors by code.
    Column("counters", Text),
    Column("robots_ignored", Boolean, nullable=False),
)

lease = Table(
    "lease",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("owner", String(100), nullable=False),
    #: Seconds since the epoch; a later owner may take the lease from then on.
    Column("until", Double, nullable=False),
)

url = Table(
    "url",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("site_id", ForeignKey("site.id"), nullable=False),
    #: 128-bit hash of the canonical URL: one row a page.
    Column("key", LargeBinary(16), nullable=False),
    #: The URL as it is asked for.
    Column("url", Text, nullable=False),
    Column("host", String(255), nullable=False),
    #: blake2b(host) mod 4096, the cluster's partition.
    Column("bucket", SmallInteger, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("status", String(12), nullable=False),
    Column("verdict", String(12), nullable=False),
    Column("error_code", SmallInteger, nullable=False),
    Column("http_status", SmallInteger, nullable=False),
    #: P1's weight, 0 is best; that of the parent until the page was fetched.
    Column("weight", SmallInteger, nullable=False),
    #: The learned score when it was fetched, 0 to 1.
    Column("score", Double),
    Column("depth", SmallInteger, nullable=False),
    #: Key of the page on which the first link stood; empty for a start link.
    Column("parent", LargeBinary(16), nullable=False),
    Column("anchor", Text, nullable=False),
    Column("tag_path", Text, nullable=False),
    Column("rank", Integer, nullable=False),
    #: Fetches and failed fetches so far.
    Column("attempts", SmallInteger, nullable=False),
    Column("has_crawl", Boolean, nullable=False),
    Column("update_time", Double),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("location", Text),
    Column("canonical", Text),
    #: Key of the row that holds the same page, learned from equal content; null for most.
    Column("alias_of", LargeBinary(16)),
    #: Evidence of the verdict (model.Evidence).
    Column("similarity", Double),
    Column("keywords", Boolean),
    Column("url_match", Boolean),
    Column("links", Integer),
    UniqueConstraint("site_id", "key"),
    Index("ix_url_site_id_status", "site_id", "status"),
)

page = Table(
    "page",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("url_id", ForeignKey("url.id"), nullable=False, index=True),
    Column("fetched_at", Double, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("language", String(20), nullable=False),
    Column("signature", String(32), nullable=False),
    #: Charikar's 64-bit fingerprint of the text, as a signed number; null for an empty text.
    Column("simhash", BigInteger),
    #: Where the raw answer lies: file in the archive folder, offset and length in bytes.
    Column("archive", String(100), nullable=False),
    Column("offset", BigInteger, nullable=False),
    Column("length", BigInteger, nullable=False),
)

#: Sitemaps, with how far each was read: a half-read one goes on after a restart.
source = Table(
    "source",
    metadata,
    Column("site_id", ForeignKey("site.id"), primary_key=True),
    Column("url", String(700), primary_key=True),
    #: Entries whose URLs have a row.
    Column("entries", Integer, nullable=False),
    #: Read to its end.
    Column("done", Boolean, nullable=False),
    Column("etag", Text, nullable=False),
    Column("last_modified", Text, nullable=False),
    Column("read_at", Double, nullable=False),
)

record = Table(
    "record",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("site_id", ForeignKey("site.id"), nullable=False, index=True),
    Column("url_id", ForeignKey("url.id"), nullable=False, unique=True),
    #: JSON object of the raw values.
    Column("fields", Text, nullable=False),
    #: JSON object of the values that have a type; null in rows of older versions.
    Column("typed", Text),
    #: False: in quarantine, for the reason beside it.
    Column("valid", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("first_seen", Double, nullable=False),
    Column("last_seen", Double, nullable=False),
)

#: The one change log: whoever follows the store does so by cursor over `seq`.
event = Table(
    "event",
    metadata,
    Column("seq", _Id, primary_key=True),
    Column("site_id", ForeignKey("site.id"), nullable=False),
    Column("kind", String(10), nullable=False),
    #: Id of the row in the table that `kind` names.
    Column("ref", BigInteger, nullable=False),
    Column("at", Double, nullable=False),
    Index("ix_event_site_id_seq", "site_id", "seq"),
    sqlite_autoincrement=True,
)

#: How far each `-o` file has followed the change log.
output = Table(
    "output",
    metadata,
    Column("site_id", ForeignKey("site.id"), primary_key=True),
    Column("path", String(400), primary_key=True),
    #: Bytes that are surely whole; what follows is cut off on resume.
    Column("offset", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
)

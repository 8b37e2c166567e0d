"""First tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lease",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("owner", sa.String(length=100), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
    )
    op.create_table(
        "site",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site")),
        sa.UniqueConstraint("name", name=op.f("uq_site_name")),
    )
    op.create_table(
        "event",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("ref", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_event_site_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_event")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_event_site_id_seq", "event", ["site_id", "seq"], unique=False)
    op.create_table(
        "model",
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("blob", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_model_site_id")),
        sa.PrimaryKeyConstraint("site_id", "name", name=op.f("pk_model")),
    )
    op.create_table(
        "output",
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=400), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_output_site_id")),
        sa.PrimaryKeyConstraint("site_id", "path", name=op.f("pk_output")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("verb", sa.String(length=20), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("stop_reason", sa.String(length=200), nullable=True),
        sa.Column("counters", sa.Text(), nullable=True),
        sa.Column("robots_ignored", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_run_site_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_site_id"), "run", ["site_id"], unique=False)
    op.create_table(
        "url",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.LargeBinary(length=16), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("bucket", sa.SmallInteger(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("verdict", sa.String(length=12), nullable=False),
        sa.Column("error_code", sa.SmallInteger(), nullable=False),
        sa.Column("http_status", sa.SmallInteger(), nullable=False),
        sa.Column("weight", sa.SmallInteger(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("parent", sa.LargeBinary(length=16), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=False),
        sa.Column("tag_path", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("has_crawl", sa.Boolean(), nullable=False),
        sa.Column("update_time", sa.Double(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("location", sa.Text(), nullable=True),
        sa.Column("canonical", sa.Text(), nullable=True),
        sa.Column("similarity", sa.Double(), nullable=True),
        sa.Column("keywords", sa.Boolean(), nullable=True),
        sa.Column("url_match", sa.Boolean(), nullable=True),
        sa.Column("links", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_url_site_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_url")),
        sa.UniqueConstraint("site_id", "key", name=op.f("uq_url_site_id_key")),
    )
    op.create_index("ix_url_site_id_status", "url", ["site_id", "status"], unique=False)
    op.create_table(
        "page",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("url_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("fetched_at", sa.Double(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("signature", sa.String(length=32), nullable=False),
        sa.Column("archive", sa.String(length=100), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name=op.f("fk_page_url_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_page")),
    )
    op.create_index(op.f("ix_page_url_id"), "page", ["url_id"], unique=False)
    op.create_table(
        "record",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("url_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("valid", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.Double(), nullable=False),
        sa.Column("last_seen", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_record_site_id")),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name=op.f("fk_record_url_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record")),
        sa.UniqueConstraint("url_id", name=op.f("uq_record_url_id")),
    )
    op.create_index(op.f("ix_record_site_id"), "record", ["site_id"], unique=False)
    op.execute(
        """
        create view url_index as
        select site_id, url, case when kind = 'target' then 2 else 1 end as type,
               update_time, has_crawl, error_code, weight
        from url
        """
    )


def downgrade() -> None:
    op.execute("drop view url_index")
    op.drop_index(op.f("ix_record_site_id"), table_name="record")
    op.drop_table("record")
    op.drop_index(op.f("ix_page_url_id"), table_name="page")
    op.drop_table("page")
    op.drop_index("ix_url_site_id_status", table_name="url")
    op.drop_table("url")
    op.drop_index(op.f("ix_run_site_id"), table_name="run")
    op.drop_table("run")
    op.drop_table("output")
    op.drop_table("model")
    op.drop_index("ix_event_site_id_seq", table_name="event")
    op.drop_table("event")
    op.drop_table("site")
    op.drop_table("lease")

"""Sources of URLs with how far they were read, learned aliases, near-duplicate fingerprints."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table `source` and the columns `url.alias_of` and `page.simhash`."""
    op.create_table(
        "source",
        sa.Column("site_id", sa.Integer(), sa.ForeignKey("site.id"), primary_key=True),
        sa.Column("url", sa.String(700), primary_key=True),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("last_modified", sa.Text(), nullable=False),
        sa.Column("read_at", sa.Double(), nullable=False),
    )
    op.add_column("url", sa.Column("alias_of", sa.LargeBinary(16)))
    op.add_column("page", sa.Column("simhash", sa.BigInteger()))


def downgrade() -> None:
    """Go back to the first tables."""
    op.drop_column("page", "simhash")
    op.drop_column("url", "alias_of")
    op.drop_table("source")

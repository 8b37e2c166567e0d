"""Values that have a type, beside the raw ones."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column `record.typed`."""
    op.add_column("record", sa.Column("typed", sa.Text()))


def downgrade() -> None:
    """Take it away."""
    op.drop_column("record", "typed")

"""Alembic's entry: migrate over the connection that store.database opened."""

from alembic import context

from winze.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,
)
with context.begin_transaction():
    context.run_migrations()

"""Run by alembic, inside the transaction that ``webapp.store.engine`` opened."""

from alembic import context

from webapp.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()

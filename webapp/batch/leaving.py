"""What runs in a Dask scheduler, which may be without tallystone: no other module is imported."""

from typing import Any

from distributed import SchedulerPlugin


class Leaving(SchedulerPlugin):  # type: ignore[misc]
    """Takes a plugin from all workers once the client that brought it is gone, even if killed."""

    def __init__(self, client: str, plugin: str) -> None:
        self.client, self.plugin = client, plugin
        self.name = f"{plugin}-leaving"

    def remove_client(self, scheduler: Any, client: str) -> None:
        """Called by the scheduler when any client is gone."""
        if client != self.client:
            return
        scheduler.remove_plugin(self.name)
        if self.plugin in scheduler.worker_plugins:
            scheduler.loop.add_callback(scheduler.unregister_worker_plugin, None, self.plugin)

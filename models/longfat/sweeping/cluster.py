"""Executor that runs calls on the cluster of a dask Client."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class ClusterExecutor(Executor):
    """Executor of a dask Client whose results survive the loss of the worker that computed them.

    ``Client.get_executor`` reads a task's status after its result. If the worker dies in between, the status is no
    longer "finished", and the result is taken for an exception (``_cascade_future`` in distributed 2026.8). This
    executor decides by what ``gather`` returns or raises, and ``gather`` waits until a lost task has been repeated.
    """

    def __init__(self, client: Any):
        self._client = client

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function on the cluster, equal calls as different tasks."""
        task = self._client.submit(fn, *args, pure=False, **kwargs)
        future: Future[Any] = Future()
        future.add_done_callback(lambda ended: task.cancel() if ended.cancelled() else None)
        self._client.loop.add_callback(self._hand_over, task, future)
        return future

    async def _hand_over(self, task: Any, future: Future[Any]) -> None:
        """Wait for a task and give its result or exception to the future."""
        try:
            result = await self._client.gather(task, asynchronous=True)
        except CancelledError:  # by the caller, or because the scheduler is gone
            future.cancel()
            future.set_running_or_notify_cancel()  # wakes `concurrent.futures.wait`
        except BaseException as error:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)
        else:
            if future.set_running_or_notify_cancel():
                future.set_result(result)

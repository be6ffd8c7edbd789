"""Work that must not hold up a page: one job is one function on a background thread."""

from __future__ import annotations

import logging
import queue
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from anchordiv.errors import AnchordivError

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")
State = Literal["waiting", "running", "done", "failed", "cancelled"]
_LOG = logging.getLogger(__name__)


class JobCancelledError(Exception):
    """Raised inside a job's work at its next report, to leave by the shortest way."""


@dataclass
class Stage:
    """How far one part of a job is.

    Args:
        done: how much of it is done.
        total: how much there is; 0 if nobody knows.
        began: when it began, in seconds of the monotonic clock.
        before: how much was done when it was first heard of, which says nothing about the pace.
    """

    done: int
    total: int
    began: float
    before: int = 0

    def seconds_left(self) -> float | None:
        """Estimate the rest from the pace so far, if there is one."""
        if self.done <= self.before or self.done >= self.total:
            return None
        return (time.monotonic() - self.began) * (self.total - self.done) / (self.done - self.before)


@dataclass(eq=False)
class Job(Generic[Result]):
    """A piece of work with its state, the progress of its stages and, in the end, its result or a sentence.

    Args:
        work: gets a function ``report(stage, done, total)`` and returns the result.
        shared: whether several visitors wait for it, so that none of them may call it off.
    """

    work: Callable[[Callable[[str, int, int], None]], Result]
    shared: bool = False
    state: State = "waiting"
    stages: dict[str, Stage] = field(default_factory=dict)
    result: Result | None = None
    partial: Result | None = None
    news: int = 0
    problem: str = ""
    _cancel: threading.Event = field(default_factory=threading.Event)

    @property
    def pending(self) -> bool:
        """Tell whether a result may still come."""
        return self.state in ("waiting", "running")

    @property
    def stopping(self) -> bool:
        """Tell whether somebody called it off while it was at work."""
        return self.pending and self._cancel.is_set()

    def cancel(self) -> None:
        """Ask the work to stop at its next report; a waiting job never starts."""
        if self.shared:
            return
        self._cancel.set()
        if self.state == "waiting":
            self.state = "cancelled"

    def report(self, stage: str, done: int, total: int) -> None:
        """Note how far a stage of the work is.

        Raises:
            JobCancelledError: if somebody asked for it.
        """
        if self._cancel.is_set():
            raise JobCancelledError
        now = self.stages.setdefault(stage, Stage(0, 0, time.monotonic(), done))
        now.done, now.total = done, total

    def publish(self, partial: Result) -> None:
        """Let the page use what is there so far."""
        self.partial = partial
        self.news += 1

    def run(self) -> None:
        """Do the work on the calling thread and keep what came of it."""
        if self._cancel.is_set():
            self.state = "cancelled"
            return
        self.state = "running"
        try:
            self.result = self.work(self.report)
            self.state = "done"
        except JobCancelledError:
            self.state = "cancelled"
        except AnchordivError as error:
            self.problem, self.state = str(error), "failed"
        except Exception:
            _LOG.exception("A background job failed")
            self.problem = "This could not be finished; the reason is in the server's log."
            self.state = "failed"


def start(job: Job[Result]) -> Job[Result]:
    """Run a job on a thread of its own that never keeps the server from closing."""
    threading.Thread(target=job.run, daemon=True, name="anchordiv-job").start()
    return job


class Lane:
    """Jobs one after the other on one thread, for libraries that do not bear company."""

    def __init__(self, name: str) -> None:
        self._queue: queue.SimpleQueue[Job[object]] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True, name=f"anchordiv-{name}").start()

    def add(self, job: Job[Result]) -> Job[Result]:
        """Queue a job and return it."""
        self._queue.put(job)  # type: ignore[arg-type]
        return job

    def _work(self) -> None:
        while True:
            self._queue.get().run()

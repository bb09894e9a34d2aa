"""The end of a process that was forked from one with a GPU."""

from __future__ import annotations

import ctypes
import functools
import os


@functools.cache
def spare_children() -> None:
    """Lets the processes that are forked from now on end without the exit handlers of C libraries.

    That of Mesa joins the threads of each device, which a fork does not copy: it crashes or waits for ever. Python's own
    handlers have run before, and the buffers of C are written.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_end_without_handlers)


def _end_without_handlers() -> None:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):
        # The handler that comes last is called first, with the status of the process.
        libc.on_exit(libc._exit, None)
        libc.on_exit(libc.fcloseall, None)

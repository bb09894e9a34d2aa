"""Ends processes that were forked from one with an open GPU."""

from __future__ import annotations

import ctypes
import functools
import os


@functools.cache
def spare_children() -> None:
    """Makes later forked processes end without the exit handlers of C libraries.

    Mesa's exit handler joins the threads of each device. A fork does not copy these threads, so the handler crashes or waits
    forever. Python's own exit handlers run before, and C's buffers are written.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_end_without_handlers)


def _end_without_handlers() -> None:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):
        # The handler that is registered last is called first, with the exit status of the process.
        libc.on_exit(libc._exit, None)
        libc.on_exit(libc.fcloseall, None)

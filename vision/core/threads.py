"""Keeps NumPy's products of matrices to the thread that asks for them.

OpenBLAS spreads them over all cores and lets its threads wait busily for each other. Those of a
reading are small: on two cores that others used too, one of 0.6 ms took 48.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def alone() -> AbstractContextManager[Any]:
    """Return a block within which products of matrices take one thread."""
    held: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return held


@lru_cache(maxsize=1)
def _controller() -> Any:
    # What it finds when it is made is all that it will know; NumPy is loaded by then.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

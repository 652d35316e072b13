"""Runs trained networks by onnxruntime; the one place that knows it.

A network is a file of plain data that has been checked against its manifest before. It takes as
many threads as OpenCV does, so that one setting holds for all of a reading.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.errors import ModelError

Floats = NDArray[np.float32]

ERRORS_ONLY = 3
"""How much the library writes to standard error: no warnings about graphics cards it misses."""


class Runner:
    """One network, ready to run; may be used from several threads and by forked processes."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = data, name
        self._sessions: dict[tuple[int, int], Any] = {}
        self._one_at_a_time = threading.Lock()
        self._session()

    def run(self, blob: Floats) -> Floats:
        """Return the network's only output for an input of count x 3 x height x width."""
        session = self._session()
        return np.asarray(session.run(None, {session.get_inputs()[0].name: blob})[0], np.float32)

    def _session(self) -> Any:
        # A forked process has none of its parent's threads and would wait for them for ever. The
        # parent's session stays in the list there: to give it back is to wait for them too.
        own = os.getpid(), max(1, cv2.getNumThreads())
        if own not in self._sessions:
            with self._one_at_a_time:
                if own not in self._sessions:
                    self._sessions[own] = _opened(self._data, self._name, own[1])
        return self._sessions[own]


def blob_of(pictures: list[NDArray[np.uint8]], mean: float = 0.0) -> Floats:
    """Return pictures of one size as a network takes them: 0 to 1, less a mean of 255 levels."""
    blob = cv2.dnn.blobFromImages(pictures, 1 / 255, mean=(mean, mean, mean))
    return np.asarray(blob, np.float32)


def _opened(data: bytes, name: str, threads: int) -> Any:
    """Return a session of its own threads.

    Raises:
        ModelError: the file holds no network.
    """
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import (
        Fail,
        InvalidArgument,
        InvalidGraph,
        InvalidProtobuf,
        NotImplemented,
        RuntimeException,
    )

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = ERRORS_ONLY
    # A pool of its own would hold on to the memory of the largest look for ever: 270 MB more, and
    # no faster.
    options.enable_cpu_mem_arena = False
    # Threads that wait for work must not keep the page and the camera from theirs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except (
        Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotImplemented, RuntimeException,
    ) as error:  # fmt: skip
        raise ModelError(f"{name} holds no network: {error}; take it from the repository") from None

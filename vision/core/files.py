"""Finds trained files, checks whether they belong to a box, and runs the networks in them.

Trained files lie in ``models/trained``; they are data, and none of the code beside them is needed
to use them. Networks run in onnxruntime, which only this module imports, with as many threads as
OpenCV uses, so that one setting limits the whole reading.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import json
import os
import threading
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import RecordError
from engine.given import read_json, shown
from engine.tiles import TileSet
from vision.core.errors import ModelError

Floats = NDArray[np.float32]

TRAINED = Path(__file__).resolve().parents[2] / "models" / "trained"
LARGEST_FILE = 64 << 20
"""Maximum size of a trained file in bytes; larger files are refused."""
LARGEST_UNPACKED = 256 << 20
MOST_ARRAYS = 64
NO_ARRAYS = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    MemoryError,
    RecursionError,
    RuntimeError,
    EOFError,
    SyntaxError,
    TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Exceptions that NumPy and zipfile raise on files that are no valid array archives."""
LARGE_LOOK_BYTES = 4 << 20
"""After runs on larger inputs, the freed memory is returned to the operating system."""
M_MMAP_THRESHOLD, MAPPED_FROM_BYTES, KEPT_UP_TO_BYTES = -3, 1 << 20, 32 << 20
"""glibc's ``mallopt`` parameter for the size from which allocations are mapped, and so returned to
the system when freed; its value during a run on a large input, and otherwise."""
ERRORS_ONLY = 3
"""Log level of onnxruntime, without its warnings about missing graphics cards."""


def set_hash(tile_set: TileSet) -> str:
    """Return a short hash of how the tiles of a box look.

    Counts are excluded: a box with one card more is read by the same reader.
    """
    cards = [
        [
            kind.name,
            [[s.edges, s.colour, s.cap] for s in kind.strands],
            kind.cells,
            [[e.cell, e.edge, e.name] for e in kind.exits],
            kind.role,
            kind.points,
            kind.path,
        ]
        for kind in tile_set.kinds.values()
    ]
    text = json.dumps([tile_set.lattice, cards], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Manifest:
    """The description of trained files, stored as JSON beside them."""

    def __init__(self, path: Path, said: Mapping[str, object]) -> None:
        self._path, self._said = path, said

    def __getitem__(self, key: str) -> Any:
        return self._said[key]

    def get(self, key: str) -> Any:
        """Return the value of a key, or ``None``."""
        return self._said.get(key)

    def arrays(self, file: str | None = None) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file beside the manifest, by default the ``.npz`` of its name.

        Raises:
            ModelError: the file is missing, has another hash, or holds no plain arrays.
        """
        path = self._path.with_name(file) if file else self._path.with_suffix(".npz")
        return read_arrays(path, str(self.get("sha256")))


def read_manifest(path: Path, wanted: Mapping[str, object]) -> Manifest:
    """Return a manifest after checking that it has the wanted values.

    Raises:
        ModelError: the manifest is missing or broken, or has other values.
    """
    try:
        manifest = read_json(path)
    except OSError as error:
        raise ModelError(f"no trained model at {path}; run 'make train' to make one") from error
    except RecordError as error:
        raise ModelError(f"{path} is no JSON file: {error}; take it from the repository") from error
    if not isinstance(manifest, dict):
        raise ModelError(f"{path} is no manifest; take it from the repository")
    for key, value in wanted.items():
        if manifest.get(key) != value:
            raise ModelError(
                f"{path.name} says {key} {shown(manifest.get(key))}, but {value!r} is needed; "
                "train it again or take it from the repository"
            )
    return Manifest(path, manifest)


def read_file(path: Path, sha256: object) -> bytes:
    """Return the bytes of a trained file after checking their SHA-256 hash.

    Raises:
        ModelError: the file is missing, too large, or has another hash.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ModelError(f"{path} is larger than any model; take it from the repository")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"no trained model at {path}; run 'make train' to make one") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelError(
            f"{path} is not the file that its manifest names; take both from one place"
        )
    return data


def read_arrays(path: Path, sha256: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file after checking its hash; nothing is unpickled.

    Raises:
        ModelError: the file is missing, has another hash, or holds no plain arrays.
    """
    data = read_file(path, sha256)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            unpacked = sum(one.file_size for one in entries)
            if len(entries) > MOST_ARRAYS or unpacked > LARGEST_UNPACKED:
                raise ModelError(f"{path} unpacks to more than any model; take it anew")
            if not all(
                one.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for one in entries
            ):
                raise ModelError(f"{path} is packed in a way that no model is; take it anew")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: _plain(arrays[name]) for name in arrays.files}
    except NO_ARRAYS as error:
        raise ModelError(f"{path} does not hold plain arrays: {error}") from error


def _plain(array: Any) -> NDArray[Any]:
    """Return a member of the archive, which must be an array of numbers."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise ValueError("one of them holds no numbers")
    return array


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write plain arrays to an ``.npz`` file and return its SHA-256 hash for the manifest."""
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, **arrays)
    path.write_bytes(out.getvalue())
    return hashlib.sha256(out.getvalue()).hexdigest()


class Runner:
    """One network, ready to run; safe to use from several threads and in forked processes."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = data, name
        self._sessions: dict[tuple[int, int], Any] = {}
        self._one_at_a_time = threading.Lock()
        self._session()

    def run(self, blob: Floats) -> Floats:
        """Return the network's only output for an input of count x 3 x height x width."""
        session = self._session()
        with _giving_back() if blob.nbytes > LARGE_LOOK_BYTES else nullcontext():
            out = session.run(None, {session.get_inputs()[0].name: blob})[0]
        return np.asarray(out, np.float32)

    def _session(self) -> Any:
        # A forked process has none of its parent's worker threads: running the parent's session
        # would deadlock. So would destroying it, hence it stays in the dictionary unused.
        own = os.getpid(), max(1, cv2.getNumThreads())
        if own not in self._sessions:
            with self._one_at_a_time:
                if own not in self._sessions:
                    self._sessions[own] = _opened(self._data, self._name, own[1])
        return self._sessions[own]


def blob_of(pictures: list[NDArray[np.uint8]], mean: float = 0.0) -> Floats:
    """Return pictures of one size as network input: (level - mean) / 255, for levels 0 to 255."""
    blob = cv2.dnn.blobFromImages(pictures, 1 / 255, mean=(mean, mean, mean))
    return np.asarray(blob, np.float32)


@contextmanager
def _giving_back() -> Iterator[None]:
    """Return memory that the block frees to the operating system, where glibc supports it (Linux).

    By default glibc keeps the memory of a run on a large input, and the next run adds to it.
    """
    library = _c_library()
    if library is None:
        yield
        return
    library.mallopt(M_MMAP_THRESHOLD, MAPPED_FROM_BYTES)
    try:
        yield
    finally:
        library.mallopt(M_MMAP_THRESHOLD, KEPT_UP_TO_BYTES)
        library.malloc_trim(0)


@lru_cache(maxsize=1)
def _c_library() -> Any:
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "malloc_trim") else None
    except (OSError, TypeError):
        return None


def _opened(data: bytes, name: str, threads: int) -> Any:
    """Return an onnxruntime session with its own thread pool.

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
    # The memory arena would keep the memory of the largest run for ever: 270 MB more, and no
    # faster.
    options.enable_cpu_mem_arena = False
    # Idle threads must not spin: the web page and the camera need the cores.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except (
        Fail,
        InvalidArgument,
        InvalidGraph,
        InvalidProtobuf,
        NotImplemented,
        RuntimeException,
    ) as error:
        raise ModelError(f"{name} holds no network: {error}; take it from the repository") from None


def alone() -> AbstractContextManager[Any]:
    """Return a context in which BLAS matrix products run on the calling thread only.

    OpenBLAS spreads products over all cores, where its threads busy-wait for each other. The
    products of a reading are small: on two busy cores, one of 0.6 ms took 48 ms.
    """
    held: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return held


@lru_cache(maxsize=1)
def _controller() -> Any:
    # The controller only knows libraries that are loaded when it is made; NumPy is by then.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

"""Lets the unmodified picamera2 run on libcamera's virtual camera, in the tree of ``make-root``.

Five things are stood in for; libcamera, its bindings and picamera2's own requests, events and
configurations are the real ones:

1. ``pykms``: imported always, used by preview windows only.
2. ``pidng``: the same for raw files; it comes as source only.
3. Raw modes: the virtual camera has none, so its ordinary ones are listed.
4. Buffers: memory of this process in place of the kernel's ``/dev/dma_heap``.
5. Starting: the virtual camera is done with all its frames before picamera2 has noted that it
   runs, and would never get their buffers back; so frames wait until it has.
"""

from __future__ import annotations

import mmap
import os
import sys
import threading
from contextlib import nullcontext
from types import ModuleType
from typing import Any


def install() -> None:
    """Put the stand-ins in place; called before a camera is opened."""
    _stub("pykms", PixelFormat=type("PixelFormat", (), {"__getattr__": lambda _, name: None})())
    _stub("pidng")
    _stub("pidng.camdefs", Picamera2Camera=None)
    _stub("pidng.core", PICAM2DNG=None)
    import picamera2.picamera2 as library

    library.DmaAllocator = _allocator_class()
    library.Picamera2._get_raw_modes = _ordinary_modes
    start = library.Picamera2.start_

    def start_then_frames(camera: Any) -> None:
        # picamera2's own thread holds the lock already.
        own_thread = getattr(camera._preview, "thread", None) is threading.current_thread()
        with nullcontext() if own_thread else camera.lock:
            start(camera)

    library.Picamera2.start_ = start_then_frames


def _stub(name: str, **contents: Any) -> None:
    module = ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module


def _ordinary_modes(camera: Any) -> list[dict[str, Any]]:
    import libcamera

    roles = [libcamera.StreamRole.Viewfinder]
    formats = camera.camera.generate_configuration(roles).at(0).formats
    return [
        {"format": str(name), "size": (size.width, size.height)}
        for name in formats.pixel_formats
        for size in formats.sizes(name)
    ]


def _allocator_class() -> type:
    import libcamera
    from picamera2.allocators.allocator import Allocator, Sync

    class MemorySync(Sync):  # type: ignore[misc]
        def __init__(self, allocator: Any, buffer: Any, _write: bool) -> None:
            self._memory = allocator.mapped_buffers[buffer]

        def __enter__(self) -> Any:
            return self._memory

        def __exit__(self, *_: object) -> None:
            pass

    class MemoryAllocator(Allocator):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.frame_buffers: dict[Any, list[Any]] = {}
            self.mapped_buffers: dict[Any, mmap.mmap] = {}
            self.sync = MemorySync
            self._files: list[int] = []

        def allocate(self, streams: Any, _use_case: object) -> None:
            self.close()
            for stream in streams:
                self.frame_buffers[stream.stream] = [
                    self._buffer(stream) for _ in range(stream.buffer_count)
                ]

        def _buffer(self, stream: Any) -> Any:
            """Return a buffer of one file with a plane for brightness and one for colours."""
            file = os.memfd_create("virtual-camera", os.MFD_CLOEXEC)
            os.ftruncate(file, stream.frame_size)
            self._files.append(file)
            bright = stream.stride * stream.size.height
            planes = []
            for offset, length in ((0, bright), (bright, stream.frame_size - bright)):
                plane = libcamera.FrameBuffer.Plane()
                plane.fd, plane.offset, plane.length = file, offset, length
                planes.append(plane)
            buffer = libcamera.FrameBuffer(planes)
            self.mapped_buffers[buffer] = mmap.mmap(file, stream.frame_size)
            return buffer

        def buffers(self, stream: Any) -> Any:
            return self.frame_buffers[stream]

        def close(self) -> None:
            for file in self._files:
                os.close(file)
            self.frame_buffers, self.mapped_buffers, self._files = {}, {}, []

        def __del__(self) -> None:
            self.close()

    return MemoryAllocator

"""Where frames come from: one small protocol, one file a kind of camera."""

from vision.sources.source import FrameSource, SourceError

__all__ = ["FrameSource", "SourceError"]

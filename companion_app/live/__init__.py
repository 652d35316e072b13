"""The live referee: from a stream of frames to moves and verdicts, kept on disk."""

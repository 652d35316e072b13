"""The table's end of the line: its journal, its keys, and the process that sends."""

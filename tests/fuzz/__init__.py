"""Fuzzing of every way in: pictures, records, boxes, backups and all routes of the page."""

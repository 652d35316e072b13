"""Tournaments: pure logic on values, an event in, the tournament out; no clock, disk or network."""

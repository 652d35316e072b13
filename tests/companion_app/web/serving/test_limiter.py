"""Counting what addresses do, also when they only look."""

from __future__ import annotations

from companion_app.web.serving.guard import LOOKS


def test_looks_at_old_games_are_limited_like_posts(played):
    client, (_, most, _) = played.guest().client, LOOKS

    answers = [client.get("/api/statistics").status_code for _ in range(most + 1)]

    assert answers == [200] * most + [429]
    assert int(client.get("/api/history").headers["Retry-After"]) > 0

"""The HTTP layer of the page: server, https, access control, settings and caching."""

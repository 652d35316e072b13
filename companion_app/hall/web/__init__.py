"""The hall's page: every table live, one large, the arbiter, the public feed."""

"""Teaching and trying out: what the page prepares step by step."""

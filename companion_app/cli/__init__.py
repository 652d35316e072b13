"""The command ``snake-eye``: one file a command."""

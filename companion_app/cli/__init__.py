"""The command ``snake-eye``: one module for each command or group of commands."""

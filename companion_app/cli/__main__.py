"""Lets ``python -m companion_app.cli`` be the command ``snake-eye``."""

import sys

from companion_app.cli.main import main

sys.exit(main())

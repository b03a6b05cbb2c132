"""The command line as `python -m sessionkit`."""

import sys

from sessionkit.cli import main

sys.exit(main())

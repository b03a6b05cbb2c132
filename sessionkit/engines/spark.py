"""The former name of `sessionkit.spark`, which is the same module."""

import sys

from sessionkit import spark

sys.modules[__name__] = spark

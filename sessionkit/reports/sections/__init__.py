"""The sections of a report, one file each, in the order in which they stand; a new one is a file and a line in ``registry.py``."""

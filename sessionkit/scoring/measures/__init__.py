"""The measures, one file per family; a new one is a class in its family's file and a name in ``registry.py``."""

"""Formats of judgments, one file each; ``registry.py`` names them and says how to add one, ``files.py`` reads them."""

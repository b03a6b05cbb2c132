"""Logs that do not fit in memory: unchecked records to a Study on disk, part by part, some parts ahead.

==================  ================================================================================================
``sizes.py``        which logs these are, and how large a part may be
``in_parts.py``     the parts one after the other
``courses.py``      two ways to parts: as records come (from ``feeds.py`` or a format), or by ranges of sessions (``ranges.py``)
``gathering.py``    what the parts leave behind: counts that add up, rejected records
==================  ================================================================================================
"""

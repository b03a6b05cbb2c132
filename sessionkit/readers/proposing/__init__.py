"""A study.toml proposed for files as they lie there, by what is in them; questions stand where that does not say it.

==================  ==============================================================================================
``drafting.py``     ``sk.propose``: from paths to a proposal
``known.py``        files of a format that is recognised
``tables.py``       private logs that are tables, ``events.py``: those with one row per event
``kinds.py``        which table a file is, ``lists.py``: which columns count queries and ranks
``laying.py``       columns that every row must have, ``matching.py``: all others, by name and by what is in them
``judged.py``       judgments, ``grading.py``: their grades, ``belonging.py``: what they belong to
------------------  ----------------------------------------------------------------------------------------------
``sampling.py``     the first rows of a file, ``dialects.py``: how they are written
``naming.py``       what columns are called in the field, ``contents.py``: what is in them
``keys.py``         what columns of two files share
``settings.py``     what no file says: the top of the scale, the zone of times
``describing.py``   how a file is written and which columns it has, as lines of a study.toml
``proposal.py``     lines, sections and questions, ``spelling.py``: TOML
==================  ==============================================================================================
"""

from sessionkit.readers.proposing.drafting import propose
from sessionkit.readers.proposing.proposal import Proposal, Question

__all__ = ["Proposal", "Question", "propose"]

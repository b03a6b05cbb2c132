"""Subtopics of a topic: grades per subtopic, the cube that a session fills, nuggets, and the best order of documents.

::

    grades.py      the grade of every judged document for each subtopic
    cubes.py       how high a session's documents fill each subtopic
    best_cubes.py  the best order of a few documents
    nuggets.py     how often each nugget is expected to be read, and what that gains
"""

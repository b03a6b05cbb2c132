"""What a searcher can expect of a session who may stop anywhere in it: exact expectations over all scan paths.

::

    walk.py         the chance to stop at a rank, and after a list
    arrays.py       the sessions of a batch as arrays
    paths.py        expected sums over all paths, by dynamic programming
    expectation.py  the expectation of what a path is worth, and of its square
    variance.py     how much that varies from path to path
"""

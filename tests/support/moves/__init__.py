"""Move and merge the modules of a package as a mapping says, and check that every definition stayed the same.

::

    mapping.py     the mapping: which files become which, renames, docstrings, registries
    scopes.py      the scope that each name of a module belongs to
    modules.py     the modules of a tree, what each binds, and where a name is defined
    texts.py       dotted names and paths in strings, comments and documents
    references.py  the edits that one file needs
    merge.py       several files as one
    apply.py       the whole tree
    compare.py     definitions of two trees
    summary.py     sizes, circles of imports, and what the help loads
"""

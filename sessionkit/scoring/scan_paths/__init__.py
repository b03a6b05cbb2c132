"""What a searcher can expect of a session who may stop anywhere in it: exact expectations over all scan paths."""

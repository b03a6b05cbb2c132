"""What a searcher does for a gain: what `sessionkit.effort` is made of.

`discounts` reads a measure's discounts as a searcher who stops; `effort_task` reads every session's curve horizontally,
and streams over a study; `reading` says it in words.
"""

"""How far unjudged results could move a score: what `sessionkit.incomplete` is made of.

`kinds` says for every measure how its bounds come about, or why it has none; `unjudged` numbers what nobody judged;
`levels` (a sum over an ideal sum) and `counted` (a value that counts relevant documents) are the two cases in which a
document that turns out relevant can also lower a score; `units` puts bounds to queries and sessions. The tasks
(`judged_task`, `pool`, `bounds_task`, `moves_task`) stream over a study; `differences` and `reading` say what follows.
"""

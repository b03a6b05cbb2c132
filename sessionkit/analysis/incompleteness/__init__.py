"""How far unjudged results could move a score: what `sessionkit.incomplete` is made of.

`kinds` says for every measure how its bounds come about, or why it has none. A first look at the study (`judged_task`,
`pool_task`) finds what nobody judged; `pool` numbers it, and `unjudged` is a block with these numbers. `rows` are the
unjudged results that count, `totals` adds them up, `ideals` are the best that lists could be. `levels` (a sum over an
ideal sum, laid out by `shares`) and `counted` (a value that counts relevant documents) are the two cases in which a
document that turns out relevant can also lower a score; `units` puts bounds to queries and sessions. `bounds_task` and
`moves_task` are the second look; `moved`, `differences` and `reading` say what follows. A study that fits in memory is
read once for both looks.
"""

"""How large a study must be: what `sessionkit.power` is made of.

::

    power.py       the verb
    options.py     what is asked for, checked
    noise.py       what varies between sessions, estimated from the study, and draws of how uncertain that is
    plans.py       who searches what with which group, in a study of the same design with more users or topics
    sizes.py       studies of one design at one size
    simulation.py  thousands of such studies in standard units: estimates, and what they are judged by
    chances.py     how often the test finds a difference, for every draw of what varies
    ladder.py      the sizes looked at, and the smallest that reaches the target
    finding.py     the finding
    messages.py    the same in plain language
"""

"""Parts that a report has when they are asked for: how each is made, and the section in which it stands.

::

    effects.py               mixed: users, topics and what topics do to groups as random
    power.py                 power: how large a study must be
    errors.py                noise: how judges' errors move the comparison
    discriminative_power.py  discriminate: how many pairs of groups each measure tells apart
    figure.py                their figures
    registry.py              all by name, and the section of each
    choice.py                which of them were asked for, and whether a report can have them

A part's file is read when it is asked for: few reports have any, and their analyses take long to load.
"""

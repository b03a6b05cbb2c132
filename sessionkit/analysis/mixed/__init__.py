"""Mixed models of measures: what `sessionkit.mixed` is made of, beside the mathematics in `components`.

::

    measure_model.py  the model of one measure: differences of groups, and components with intervals
    finding.py        the finding
    messages.py       the same in plain language
"""

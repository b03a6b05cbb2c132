"""Live discounts: the page works out sDCG and nsDCG anew for other discounts and gains.

::

    measures.py    what can be varied, and of which measures
    counts.py      what the page has to know of the study
    widget.py      the data in compact columns
    controls.html  the controls, and the places for what they change
    discounts.js   the arithmetic and the drawing, in the browser
"""

"""Live discounts: the page works out sDCG and nsDCG anew for other discounts and gains.

::

    measures.py   what can be varied, and of which measures      widget.py     the controls, and the data in compact columns
    counts.py     what the page has to know of the study         discounts.js  the arithmetic and the drawing, in the browser
"""

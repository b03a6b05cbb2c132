"""Live discounts: the page works out sDCG and nsDCG anew for other discounts and gains.

::

    widget.py  Live discounts as part of a page: the measures they vary, the counts they need, and their controls
    controls.html  the controls, and the places for what they change
    discounts.js   the arithmetic and the drawing, in the browser
"""

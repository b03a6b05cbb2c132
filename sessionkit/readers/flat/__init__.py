"""Logs of lines without structure between them, in any number of files: users or sessions whole, band by band.

==================  ================================================================================================
``lines.py``        which files hold such lines, their fields, those that break a rule
``bands.py``        all lines of some users at a time, however they lie in the files
``spans.py``        the same read from where they stand, where the files are in the order of users
``parting.py``      where a large log can be cut into parts, found on the way
``making.py``       what the bands hold, two at a time
``taking.py``       from bands to what a format hands over
``click_only.py``   logs that tell of lists by their clicks alone
==================  ================================================================================================
"""

"""The net under a refactoring: what the package answers, recorded on two commits and compared.

::

    python -m tests.support.net collect READS              once: the files and options of every sk.read of tests/readers
    python -m tests.support.net record FOLDER --reads READS [--package CHECKOUT] [--only reads,formats,charts,scores]
    python -m tests.support.net compare BEFORE AFTER       exit status 1 where anything differs

``record`` uses the public names alone, so that it runs on any commit: ``--package`` is the folder of another checkout that
holds ``sessionkit/``. Recordings are not kept in git. What the commands print is recorded elsewhere; this is what they do not show:

==============  ====================================================================================================
``collection``  a plugin for pytest: the files and arguments of every read, before the files are gone
``reads``       these reads again
``formats``     a sample log of every format: plain, strict, shuffled, damaged, and large in little memory
``answers``     a made-up study: every kind of chart; scores, curves and comparisons, however the study is stored
``outcomes``    studies, tables, warnings and errors as text
``folders``     recordings in a folder, and the comparison of two
==============  ====================================================================================================
"""

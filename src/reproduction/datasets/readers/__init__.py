"""Readers: ``read_<name>(spec, paths) -> Table``, one module a file format.

A reader for mapped sets has ``stream_<name>`` beside it, which yields the same rows as a Table a block.

``spec`` is the entry of the registry, ``paths`` maps the name of each file (or member of an archive) to a
local copy; optional files may be absent. A reader raises DataError when a file is not what it expects; the
sentence names file, row and column. The registry says which module holds which reader, so that a rule
depends on the one that it uses.
"""

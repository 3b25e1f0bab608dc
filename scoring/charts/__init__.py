"""Charts of a report, one module each. A chart is its rows (also its table and its CSV) and a specification of them.

`registry.CHARTS` lists all; to add one, write a module like the others and name it there.
"""

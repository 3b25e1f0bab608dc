"""Reading the public release of the BooookScore study: files in, plain values out, no Django.

One module a kind of file. `annotation.services.release` writes what is read here into the database.
"""

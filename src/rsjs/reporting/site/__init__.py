"""
A static site made from rows and records: one file per kind of page, templates, style and scripts.

`report_data` gathers what there is, `families` analyses it once, each `*_page` module turns that
into the content of a template, `build` writes all of it to a folder that works without a server.
"""

"""
A static site made from rows and records: pages by topic, templates, style and scripts.

`report_data` gathers what there is and analyses it, the modules of pages turn that into the content
of templates, `build` writes all of it to a folder that works without a server.
"""

"""
The port of Konopa's generator, number for number. Nobody has to understand it: new work
uses `rsjs.instances.mig.job_generator`. docs/guides/mig.md says what it reproduces and
how it is tested.
"""

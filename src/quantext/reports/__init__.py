"""Reports: tables of results or estimates in, files for people out; nothing is estimated here.

A page needs nothing beside itself: no network, no build, no server. Its scripts and styles are the
files in ``web``, and its content security policy allows no others.
"""

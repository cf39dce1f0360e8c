"""Reports: what was found, summarised to a dict, and the dict rendered as one HTML page.

A page needs nothing beside itself: no network, no build, no server. Its scripts and styles are the
files in this folder, and its content security policy allows no others.
"""

from quantext.report.estimates import estimates_page, summarise_estimates
from quantext.report.experiment import render, summarise
from quantext.report.page import render_page

__all__ = ["estimates_page", "render", "render_page", "summarise", "summarise_estimates"]

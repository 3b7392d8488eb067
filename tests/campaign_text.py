"""The text of a small campaign."""

import json


def campaign_text(name, size, *methods, limits="time_s = 600"):
    """Methods on one instance of jahani, written "2x6" for 2 nodes and 6 jobs."""
    return f"""
format = "rsjs-campaign/1"
name = "{name}"
shows = "a test"
timing = "shared"
[limits]
memory_mb = 1000
{limits}
[[instances]]
generator = "jahani"
sizes = ["{size}"]
[[methods]]
run = {json.dumps(methods)}
"""

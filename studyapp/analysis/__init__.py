"""From saved sessions to results: what was measured, how sure it is, and pictures of it.

Data walk one way: ``extract`` (a log -> arrays) -> ``gather`` (which sessions enter, and why) ->
``results`` (numbers, by ``statistics``) -> ``figures`` -> ``report`` and ``terminal``.
"""

"""The page ``report.html``, put together from its parts."""

"""The reproduction of the papers: data, search, results, verification and reports."""

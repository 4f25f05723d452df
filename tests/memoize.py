"""A cache for slow functions: all tests that ask with the same arguments share one answer."""

from joblib import hash as digest


def memoize(function):
    """Return the function with a cache of its answers, which nobody may change."""
    answers = {}

    def cached_function(*arguments, **options):
        key = digest((arguments, options))
        if key not in answers:
            answers[key] = function(*arguments, **options)
        return answers[key]

    return cached_function

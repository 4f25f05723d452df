"""A cache for slow functions: all tests that ask with the same arguments share one answer."""

from joblib import hash as digest


def once(function):
    """Return the function with a cache of its answers, which nobody may change."""
    answers = {}

    def asked(*arguments, **options):
        question = digest((arguments, options))
        if question not in answers:
            answers[question] = function(*arguments, **options)
        return answers[question]

    return asked

"""One profile of hypothesis: the same examples in every run; HYPOTHESIS_PROFILE=random asks for others.

With "first" the first failing example is told as it is: finding a smaller one takes time.
"""

import os

from hypothesis import Phase, settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", derandomize=False, deadline=None)
settings.register_profile("first", derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

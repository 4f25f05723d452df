"""Rule check: print the summary of the run, and fail, with a line a method, if it is not clean.

It is the last rule, so that a failed fit stops nothing before it. Called with the ``summary.json`` of rule
page as its only input: ``summary`` is printed and becomes the output, and a ``complaint`` ends the job with
an error.
"""

import json
import sys
from pathlib import Path

from reproduction.core.atomic_io import atomic_write_text

messages = json.loads(Path(snakemake.input[0]).read_text(encoding="utf-8"))
print(messages["summary"], flush=True)
# what Snakemake prints of a failed job's log is not the summary once more
Path(snakemake.log[0]).write_text(f"{messages['complaint'] or messages['summary']}\n", encoding="utf-8")
if messages["complaint"]:
    sys.exit(messages["complaint"])
atomic_write_text(snakemake.output[0], messages["summary"])

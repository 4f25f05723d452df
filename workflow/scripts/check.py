"""Rule check: print the summary of the run, and fail with one sentence if the run is not clean."""

import json
import sys
from pathlib import Path

from reproduction.whole import write_whole

about = json.loads(Path(snakemake.input[0]).read_text(encoding="utf-8"))
print(about["summary"], flush=True)
Path(snakemake.log[0]).write_text(f"{about['summary']}\n{about['complaint']}\n", encoding="utf-8")
if about["complaint"]:
    sys.exit(about["complaint"])
write_whole(snakemake.output[0], about["summary"])

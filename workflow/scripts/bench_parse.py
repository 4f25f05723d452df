"""Rule bench_parse: SVMlight text of epsilon's kind into the mapped file, beside what else reads it.

Each measurement has a process of its own, so that its peak memory is its own too; kernels are loaded and
compiled before the clock starts. Files are in the system's cache, as they are after a download.
"""

import bz2
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from toprank.datasets import registry

COLUMNS = (
    *("subject", "text_mb", "seconds", "cpu_seconds"),
    *("mb_per_second", "mb_per_cpu_second", "peak_mb", "remark"),
)
params = snakemake.params
n_features = registry.get("epsilon").expected["features"]

MEASURE = """
import json, sys
from time import perf_counter, process_time

text, folder, n_features = sys.argv[1], sys.argv[2], int(sys.argv[3])
{setup}
wall, cpu = perf_counter(), process_time()
{work}
wall, cpu = perf_counter() - wall, process_time() - cpu
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(json.dumps([wall, cpu, int(peak[0].split()[1]) / 1000]))
"""
OURS = {
    "setup": """
from toprank.datasets import mapped, registry
from toprank.datasets.readers.svmlight import stream_svmlight

spec = registry.get("epsilon")

def convert(path):
    mapped.write(stream_svmlight(spec, {spec.files[0].name: path}), folder, n_features, spec.name)

with open(folder + "/small.txt", "w") as file:
    file.write("1 1:1\\n")
convert(folder + "/small.txt")
""",
    "work": "convert(text)",
}
SCIKIT_LEARN = {
    "setup": "from sklearn.datasets import load_svmlight_file",
    "work": "load_svmlight_file(text, n_features=n_features, zero_based=False)",
}
BZIP2 = {
    "setup": "import bz2",
    "work": "with bz2.open(text) as stream:\n    while stream.read(1 << 20):\n        pass",
}


def write_text(path, size):
    """Write rows of norm 1 with six significant digits until the size is reached; 20 MB of them differ."""
    random = np.random.default_rng(2015)
    X = random.standard_normal((650, n_features))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    lines = [
        f"{label} " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row, start=1)) + " \n"
        for label, row in zip(random.choice([-1, 1], len(X)).tolist(), X.tolist(), strict=True)
    ]
    written = 0
    with path.open("w", encoding="ascii") as file:
        while written < size:
            for line in lines:
                written += file.write(line)
                if written >= size:
                    break


def measured(subject, parts, path, text_size, remark, repeats=1):
    """One row: the median of some runs."""
    runs = []
    for _ in range(repeats):
        code = [sys.executable, "-c", MEASURE.format(**parts), str(path), str(path.parent)]
        done = subprocess.run([*code, str(n_features)], capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
        print(subject, *runs[-1], sep="; ", file=log, flush=True)
    wall, cpu, peak = (median(column) for column in zip(*runs, strict=True))
    megabytes = text_size / 1e6
    return [
        subject,
        *(f"{value:.4g}" for value in (megabytes, wall, cpu, megabytes / wall, megabytes / cpu, peak)),
        remark,
    ]


with (
    Path(snakemake.log[0]).open("w", encoding="utf-8") as log,
    Path(snakemake.output[0]).open("w", newline="", encoding="utf-8") as file,
    tempfile.TemporaryDirectory(dir=Path(snakemake.output[0]).parent) as folder,
):
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    whole, tenth, packed = (Path(folder, name) for name in ("whole.txt", "tenth.txt", "tenth.bz2"))
    write_text(whole, params.size)
    write_text(tenth, params.size // 10)
    size, part = whole.stat().st_size, tenth.stat().st_size
    packed.write_bytes(bz2.compress(tenth.read_bytes()))
    of_runs = f"median of {params.repeats} runs"
    writer.writerow(measured("text into X.npy", OURS, whole, size, of_runs, params.repeats))
    packed_in = OURS, packed, part
    writer.writerow(measured("bz2 into X.npy", *packed_in, "a tenth; unpacked as it is read"))
    writer.writerow(measured("bz2 unpacked alone", BZIP2, packed, part, "a tenth; nothing is parsed"))
    sklearn = measured("load_svmlight_file", SCIKIT_LEARN, tenth, part, "a tenth; into CSR of float64")
    writer.writerow(sklearn)

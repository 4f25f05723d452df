"""Give the columns, keys and files of a snapshot the names that the code uses since November 2026; run once.

``python reports/convert_names.py reports/snapshot`` rewrites the archives of fits and the configuration:
names only, values are untouched (but for the option "printed", which is now "published").
"""

import csv
import io
import json
import re
import sys
import tarfile
from pathlib import Path

COLUMNS = {"block": "split_batch", "reading_of": "variant_of", "differs_from_print": "differs_from_published"}
COUNTS_TABLE = "data.csv"  # its column "features" is a count
SCALED_EXPERIMENTS = ("convergence", "suboptimality")  # of the others, "features" is a count
KEYS = {
    "axes": "choices",
    "beyond": "extra_methods",
    "looked_at": "extra_shares",
    "choice": "selection_metric",
    "candidates_of": "candidates_by_dataset",
    "every": "stride",
    "left_out": "excluded_options",
    "splits_of": "splits_by_dataset",
    "splits_per_job_of": "splits_per_job_by_dataset",
}
EXPERIMENT_COLUMNS = {
    "convergence": {"after": "iterate", "largest_rho": "rho_bound"},
    "suboptimality": {"zero": "zero_suboptimality"},
}


def rename_column(name: str, file: str) -> str:
    """Return the new name of a column of a CSV file."""
    if name == "features" and file != COUNTS_TABLE:
        return "feature_scaling"
    return COLUMNS.get(name, re.sub(r"(?<![a-z])printed(?![a-z])", "published", name))


def convert_member(name: str, content: bytes) -> tuple[str, bytes]:
    """Return the new name and content of a file of an archive."""
    path = Path(name)
    text = content.decode()
    if path.suffix == ".csv":
        head, _, body = text.partition("\n")
        (columns,) = csv.reader([head])
        return name, (",".join(rename_column(column, path.name) for column in columns) + "\n" + body).encode()
    if path.name == "manifest.json":
        return name, text.replace('\n "printed": ', '\n "published": ').encode()
    if path.suffix == ".jsonl":
        if path.name.startswith(SCALED_EXPERIMENTS):
            text = text.replace('"features": ', '"feature_scaling": ')
        text = text.replace('"stop": "printed"', '"stop": "published"')
        for old, new in EXPERIMENT_COLUMNS.get(path.name.partition(".")[0], {}).items():
            text = text.replace(f'"{old}": ', f'"{new}": ')
        for line in text.splitlines():
            json.loads(line)
        return name.replace("/measured/", "/experiments/"), text.encode()
    raise ValueError(f"{name}: no rule for this file")


def convert_archive(path: Path) -> None:
    """Rewrite an archive of fits."""
    with tarfile.open(path) as archive:
        members = [(member, archive.extractfile(member).read()) for member in archive]
    converted = [(member, *convert_member(member.name, content)) for member, content in members]
    with tarfile.open(path, "w:xz") as archive:
        for member, name, content in sorted(converted, key=lambda entry: entry[1]):
            member.name, member.size = name, len(content)
            archive.addfile(member, io.BytesIO(content))


def convert_config(path: Path) -> None:
    """Rename the keys of the configuration."""
    text = path.read_text(encoding="utf-8")
    for old, new in KEYS.items():
        text = re.sub(rf"^(\s+){old}:", rf"\1{new}:", text, flags=re.M)
    text = re.sub(r"^(\s+)scaling:$", r"\1feature_scaling:", text, flags=re.M)
    text = re.sub(r"^(\s+)features: (raw|standardised)$", r"\1feature_scaling: \2", text, flags=re.M)
    path.write_text(re.sub(r"^(\s+)- printed$", r"\1- published", text, flags=re.M), encoding="utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for file in sorted(folder.glob("fits/*.tar.xz")):
        convert_archive(file)
    convert_config(folder / "config.yaml")

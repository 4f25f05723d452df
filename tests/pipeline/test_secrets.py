"""A password in the address of a mirror is in no file that a run writes."""

import pytest
import yaml
from small_project import STUDY

SECRET = "s3cret-of-a-mirror"
MIRROR = f"https://someone:{SECRET}@localhost:9/m?token={SECRET}"  # nobody answers there

pytestmark = [pytest.mark.pipeline, pytest.mark.xdist_group("pipeline")]


def test_no_file_of_a_run_holds_the_password_of_its_mirror(project):
    """Provenance, page and crate are written again, and a data set is looked for in the mirror."""
    written = yaml.safe_load(project.overlay.read_text()) | {"mirror": MIRROR, "retry_missing": True}
    project.overlay.unlink()
    project.overlay = project.folder.parent / "with_mirror.yaml"  # the user's own file holds it, of course
    project.overlay.write_text(yaml.safe_dump(written, sort_keys=False))
    published = project.snakemake("all", "crate", "--forcerun", "provenance")
    reason = project.table("data.csv").set_index("dataset").loc["planted", "reason"]
    assert "localhost:9 could not be reached" in reason, "the mirror was asked"
    for name in ("provenance.json", "configuration.json"):
        assert "https://localhost:9/m" in (project.results / name).read_text(encoding="utf-8")
    assert (project.results / "ro-crate-metadata.json").is_file() and STUDY in project.page()
    assert SECRET not in published
    for path in project.folder.rglob("*"):
        assert SECRET not in path.name
        is_ours = path.is_file() and "tests" not in path.relative_to(project.folder).parts
        assert not is_ours or SECRET.encode() not in path.read_bytes(), path

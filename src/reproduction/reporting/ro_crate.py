"""A run as a Workflow Run RO-Crate: which workflow made which files, when, and from which configuration."""

import mimetypes
from collections.abc import Iterable, Mapping
from pathlib import Path

PROFILES = (
    "https://w3id.org/ro/wfrun/process/0.5",
    "https://w3id.org/ro/wfrun/workflow/0.5",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
)
"""Profiles of the crate, beside RO-Crate itself."""

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
LICENCE = "https://spdx.org/licenses/MIT"
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
WORKFLOW, CONFIGURATION = "Snakefile", "configuration.json"
"""Files of the crate that are no results: the workflow and its configuration."""


def describe_run(
    folder: Path, files: Iterable[str], provenance: Mapping, citation: Mapping, started: str
) -> dict:
    """Describe a run as an RO-Crate.

    Parameters
    ----------
    folder : Path
        Folder of the results, which becomes the crate.
    files : iterable of str
        What the run made, below that folder.
    provenance : mapping
        As provenance.json has it.
    citation : mapping
        As CITATION.cff has it.
    started : str
        When the run began, by ISO 8601.

    Returns
    -------
    dict
        The content of ro-crate-metadata.json.
    """
    results = [_describe_file(folder, Path(file).relative_to(folder)) for file in files]
    result_ids = [{"@id": entity["@id"]} for entity in results]
    profiles = [_describe_profile(address) for address in PROFILES]
    configuration = _describe_file(folder, Path(CONFIGURATION)) | {"name": "Configuration of the run"}
    commit = provenance["commit"]
    # entity types and properties as the Workflow Run profile names them
    workflow = {
        "@id": WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": citation["title"],
        "description": citation["abstract"],
        "version": citation["version"],
        "identifier": f"git commit {commit}",
        "programmingLanguage": {"@id": SNAKEMAKE},
        "creator": {"@id": "#developers"},
        "license": {"@id": LICENCE},
    }
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"Run of {', '.join(provenance['config']['run'])}",
        "description": f"On {provenance['cpu']}, {provenance['platform']}, Python {provenance['python']}.",
        "instrument": {"@id": WORKFLOW},
        "agent": {"@id": "#developers"},
        "object": {"@id": CONFIGURATION},
        "result": result_ids,
        "startTime": started,
        "endTime": provenance["written"],
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    # the root data set: all files of the crate, and the run that made them
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"A run of {citation['title']}",
        "description": citation["abstract"],
        "datePublished": provenance["written"],
        "license": {"@id": LICENCE},
        "author": {"@id": "#developers"},
        "conformsTo": [{"@id": profile["@id"]} for profile in profiles],
        "mainEntity": {"@id": WORKFLOW},
        "hasPart": [{"@id": WORKFLOW}, {"@id": CONFIGURATION}, *result_ids],
        "mentions": {"@id": "#run"},
    }
    # the descriptor, by which tools recognise the folder as a crate
    metadata = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": [{"@id": address} for address in ("https://w3id.org/ro/crate/1.1", PROFILES[-1])],
    }
    names = ", ".join(author["name"] for author in citation["authors"])
    developers = {"@id": "#developers", "@type": "Organization", "name": names}
    licence = {"@id": LICENCE, "@type": "CreativeWork", "name": citation["license"]}
    entities = [
        metadata,
        root,
        *profiles,
        workflow,
        _describe_snakemake(provenance),
        action,
        configuration,
        *results,
    ]
    return {"@context": CONTEXT, "@graph": [*entities, developers, licence]}


def _describe_profile(address: str) -> dict:
    """Describe a profile of RO-Crate by its address, which ends with name and version."""
    *_, name, version = address.split("/")
    return {"@id": address, "@type": "CreativeWork", "name": f"{name} profile", "version": version}


def _describe_snakemake(provenance: Mapping) -> dict:
    """Describe Snakemake as the language of the workflow."""
    return {
        "@id": SNAKEMAKE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": {"@id": "https://doi.org/10.1093/bioinformatics/bts480"},
        "url": {"@id": "https://snakemake.readthedocs.io"},
        "version": provenance["versions"]["snakemake"],
    }


def _describe_file(folder: Path, path: Path) -> dict:
    """Describe a file of the crate by its name, kind and size."""
    kind = mimetypes.guess_type(path.name)[0] or "text/plain"
    size = (folder / path).stat().st_size
    return {"@id": path.as_posix(), "@type": "File", "encodingFormat": kind, "contentSize": str(size)}

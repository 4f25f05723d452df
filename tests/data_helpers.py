"""Shared by the tests of the data layer: a small web server, small data sets, and the real mirror."""

import bz2
import contextlib
import gzip
import hashlib
import http.server
import io
import lzma
import os
import tarfile
import threading
import time
import zipfile
from pathlib import Path

from reproduction.data import registry

FAMILIES = {
    "small": {"base": None, "home": "https://example.org/data", "licence": "none", "citation": "none"}
}
FOLDS = {1: (1, 2, 3), 2: (2, 3, 4), 3: (3, 4, 5), 4: (4, 5, 1), 5: (5, 1, 2)}  # what fold K trains on
#: ending of a packed file -> what packs it
PACKERS = {"": bytes, ".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}


def real_mirror():
    """The folder with real data, if any: TOPRANK_MIRROR, or ../shared/mirror beside the project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "mirror"
    folder = Path(os.environ.get("TOPRANK_MIRROR") or beside)
    return folder if folder.is_dir() else None


def sha(content):
    return hashlib.sha256(content).hexdigest()


def entry(**changes):
    """An entry of the registry: one comma-separated file of two features and a label."""
    plain = {
        "family": "small",
        "files": [{"name": "points.data", "sha256": None, "urls": []}],
        "reader": "delimited",
        "options": {"label_column": -1},
        "label": {"positive": ["1"], "negative": ["0"]},
        "expected": {"rows": 4, "features": 2, "positives": 2, "negatives": 2},
    }
    if changes.get("reader", "delimited") != "delimited":
        del plain["options"]
    if "grades" in changes.get("label", {}):
        plain["expected"] = {"features": 2}
    return plain | changes


def make_spec(name="points", **changes):
    return registry.parse(name, entry(**changes), FAMILIES)


def plant(monkeypatch, spec):
    """Make a data set the only one of the registry."""
    monkeypatch.setattr(registry, "get", {spec.name: spec}.__getitem__)
    return spec


def write(tmp_path, **files):
    """Write files, their names with "_" for ".", and return their paths by name."""
    named = {name.replace("_", "."): text for name, text in files.items()}
    return {name: put(tmp_path / name, text) for name, text in named.items()}


def put(path, content):
    """Write a file, with the folders above it, and return its path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write_zip(path, members):
    """Write an archive of these members, and return its path."""
    with zipfile.ZipFile(put(path, b""), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def write_tar(path, members, mode="w:xz"):
    """Write an archive of these members."""
    with tarfile.open(put(path, b""), mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def letor_members(parts):
    """The fifteen files of five folds, given the text of S1..S5."""
    held = {s: text.encode() for s, text in enumerate(parts, start=1)}
    files = {}
    for fold, train in FOLDS.items():
        files[f"Fold{fold}/train.txt"] = b"".join(held[s] for s in train)
        files[f"Fold{fold}/vali.txt"] = held[(fold + 2) % 5 + 1]
        files[f"Fold{fold}/test.txt"] = held[(fold + 3) % 5 + 1]
    return files


@contextlib.contextmanager
def serve(routes):
    """Serve on a free port of this machine.

    ``routes`` maps a path to bytes, to a status, or to a list of those, one an answer (the last one stays);
    ``("drop", bytes)`` announces more than it sends, ``("drip", bytes)`` sends slowly, and ``("busy", text)``
    says when to come back. Yields the address and the list of paths asked for.
    """
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer = routes.get(self.path, 404)
            if isinstance(answer, list):
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
            if isinstance(answer, int):
                self.send_error(answer)
                return
            kind, body = answer if isinstance(answer, tuple) else ("whole", answer)
            if kind == "busy":
                self.send_response(503)
                self.send_header("Retry-After", body)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            dropped = kind == "drop"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body) + 100 * dropped))
            self.end_headers()
            with contextlib.suppress(BrokenPipeError):  # who asked may have left
                if kind == "drip":
                    for one in body:
                        self.wfile.write(bytes([one]))
                        time.sleep(0.02)
                else:
                    self.wfile.write(body)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()

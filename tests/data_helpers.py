"""Shared by the tests of the data layer: a small web server, small data sets, and the real mirror."""

import bz2
import contextlib
import gzip
import hashlib
import http.server
import io
import lzma
import os
import struct
import tarfile
import threading
import time
import zipfile
import zlib
from pathlib import Path

from reproduction.datasets import registry
from reproduction.datasets.download import fetch

FAMILIES = {
    "small": {"base": None, "home": "https://example.org/data", "licence": "none", "citation": "none"}
}
FOLDS = {1: (1, 2, 3), 2: (2, 3, 4), 3: (3, 4, 5), 4: (4, 5, 1), 5: (5, 1, 2)}  # what fold K trains on
#: ending of a packed file -> what packs it
PACKERS = {"": bytes, ".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}
TEXT = b"1,2,0\n3,4,1\n5,6,0\n7,8,1\n"
CORRUPT_TEXT = TEXT.replace(b"8", b"9")
BOMB = gzip.compress(bytes(1 << 20)) * 400
"""400 kB that unpack to 400 MB."""


def real_mirror():
    """The folder with real data, if any: TOPRANK_MIRROR, or ../shared/mirror beside the project."""
    default_folder = Path(__file__).resolve().parents[2] / "shared" / "mirror"
    folder = Path(os.environ.get("TOPRANK_MIRROR") or default_folder)
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
    return registry.parse_entry(name, entry(**changes), FAMILIES)


def points(urls=(), **more):
    """A data set of one file, whose content is TEXT."""
    return make_spec(files=[{"name": "points.data", "sha256": sha(TEXT), "urls": list(urls), **more}])


def obtain(spec, tmp_path, mirror=None):
    """The first file of a data set, with the data folder ``data``."""
    return fetch.obtain(spec, spec.files[0], tmp_path / "data", mirror)


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


def write_7z(path, members):
    """Write an archive of these members, whose names may lead out of it."""
    import py7zr

    with py7zr.SevenZipFile(path, "w") as archive:
        for number, content in enumerate(members.values()):
            archive.writestr(content, f"{number}")
        for file, name in zip(archive.header.files_info.files, members, strict=True):
            file["filename"] = name


def write_rar(path, members, method=0x30):
    """RAR 3 with stored members (0x30), which needs no tool to read; 0x33 claims that they are compressed."""

    def block(kind, flags, fields, content=b""):
        fields_after_checksum = struct.pack("<BHH", kind, flags, 7 + len(fields)) + fields
        return struct.pack("<H", zlib.crc32(fields_after_checksum) & 0xFFFF) + fields_after_checksum + content

    parts = [b"Rar!\x1a\x07\x00", block(0x73, 0, bytes(6))]
    for name, content in members.items():
        name = name.encode()
        fields = struct.pack("<IIBI", len(content), len(content), 0, zlib.crc32(content))
        fields += struct.pack("<IBBHI", 1 << 21 | 1 << 16, 20, method, len(name), 0x20) + name
        parts.append(block(0x74, 0x8000, fields, content))
    path.write_bytes(b"".join([*parts, b"\xc4\x3d\x7b\x00\x40\x07\x00"]))


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
def serve(routes, drip_seconds=0.02):
    """Serve on a free port of this machine.

    ``routes`` maps a path to bytes, to a status, or to a list of those, one an answer (the last one stays).
    ``("drop", bytes)`` announces more than it sends, ``("busy", text)`` says when to come back, and
    ``("gzip", bytes)`` has a Content-Encoding. Byte by byte comes the body of ``("drip", bytes)``, the one
    chunk of ``("chunk", bytes)``, and a header of ``("slow_header", bytes)``.
    Yields the address and the list of paths asked for; a drip that nobody has ended adds "the last byte".
    """
    requested_paths = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            requested_paths.append(self.path)
            answer = routes.get(self.path, 404)
            if isinstance(answer, list):
                answer = answer.pop(0) if len(answer) > 1 else answer[0]
            if isinstance(answer, int):
                self.send_error(answer)
                return
            kind, body = answer if isinstance(answer, tuple) else ("whole", answer)
            self.close_connection = True
            with contextlib.suppress(ConnectionError):  # who asked may have left
                getattr(self, f"send_{kind}", self.send_whole)(body, len(body) + 100 * (kind == "drop"))

        def send_head(self, status=200, **headers):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()

        def send_whole(self, body, length):
            self.send_head(Content_Length=length)
            self.wfile.write(body)

        def send_gzip(self, body, length):
            self.send_head(Content_Length=length, Content_Encoding="gzip")
            self.wfile.write(body)

        def send_busy(self, text, _):
            self.send_head(503, Retry_After=text, Content_Length=0)

        def send_drip(self, body, length):
            self.send_head(Content_Length=length)
            self.drip(body)

        def send_chunk(self, body, length):
            self.send_head(Transfer_Encoding="chunked")
            self.wfile.write(b"%x\r\n" % length)
            self.drip(body + b"\r\n0\r\n\r\n")

        def send_slow_header(self, body, length):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
            self.drip(body)

        def drip(self, body):
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(drip_seconds)
            requested_paths.append("the last byte")

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requested_paths
        finally:
            server.shutdown()
            thread.join()

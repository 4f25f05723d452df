"""No name of an entry, and none in an archive, leads out of the folder that it belongs to."""

import gzip
import io
import stat
import tarfile
import zipfile

import py7zr
import pytest
from data_helpers import entry, make_spec, put, write_7z, write_rar, write_tar, write_zip

from reproduction.core.errors import BadArchiveError, DataError
from reproduction.datasets import registry
from reproduction.datasets.download import archives
from reproduction.datasets.download.fetch import obtain
from reproduction.datasets.download.validate import find_members
from reproduction.datasets.registry_schema import parse_entry
from reproduction.datasets.specs import USER_FAMILY, DataFile

MEMBER = "Fold1/train.txt"
TEXT = b"1,2,0\n3,4,1\n"
OUTWARD = ["../../../../x.csv", "/x.csv", "C:x.csv", "C:\\x.csv", "a\\..\\..\\x.csv", "", ".", "..", "a\0b"]
#: A file name has no folders; a member may lie in one.
NAMES, MEMBERS = [*OUTWARD, "a/x.csv"], [*OUTWARD, "a//x.csv", "a/./x.csv", "a/../../x.csv", "a/"]


def parse_one_entry(file, family="small"):
    families = {family: {"base": None, "home": None, "licence": "none", "citation": "none"}}
    return parse_entry("points", entry(family=family, files=[file]), families)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", ["name", "own name", "also_named", "urls", "copies"])
def test_a_name_of_an_entry_is_a_file_name(key, name):
    if key == "own name":
        file, family = {"path": "x.csv", "name": name}, USER_FAMILY
    elif key == "name":
        file, family = {"name": name}, "small"
    elif key == "also_named":
        file, family = {"name": "x.csv", key: [name]}, "small"
    else:
        name = name.rsplit("/", 1)[-1]  # that part of an address becomes a name
        file, family = {"name": "x.csv", "urls": [], key: [f"https://host/{name}"]}, "small"
        if name == "x.csv":
            return
    with pytest.raises(DataError) as refused:
        parse_one_entry(file, family)
    sentence = str(refused.value)
    assert repr(name) in sentence and "a file of data set 'points'" in sentence
    assert "not a file name without folders" in sentence and sentence.count(". ") == 0


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("key", ["members", "folders"])
def test_a_member_of_an_entry_lies_below_its_folder(key, name):
    file = {"path": "x.zip", "members": {MEMBER: None}, "folders": ["MQ2008"]}
    file[key] = {name: None} if key == "members" else [name]
    with pytest.raises(DataError, match=r"has the member .* which is not a path below"):
        parse_one_entry(file, USER_FAMILY)


def test_names_that_are_no_text():
    for key, value in (("also_named", [3]), ("members", {3: None}), ("folders", [None])):
        with pytest.raises(DataError, match=f"{key!r} in a file of data set 'points' must hold text only"):
            parse_one_entry({"name": "x.csv", key: value})


@pytest.mark.parametrize("name", ["../points", "a/b", "..", "", "A", "toy-1", "a\n"])
def test_a_name_of_a_data_set_is_one_word(name):
    with pytest.raises(DataError, match="needs another name: small letters, digits and hyphens"):
        make_spec(name)


def test_nothing_is_written_outside_the_cache(tmp_path, monkeypatch):
    """As the issue has it: a registry of one's own whose file is called ../../../../x.csv."""
    put(tmp_path / "mine/x.csv", TEXT)
    held = put(tmp_path / "mine/own.yaml", "")
    own = entry(files=[{"path": str(tmp_path / "mine/x.csv"), "name": "../../../../x.csv"}])
    del own["family"]
    monkeypatch.setenv(registry.USER_REGISTRY_VARIABLE, str(held))
    monkeypatch.setattr(registry, "read_user_registry", lambda path: {"mine": own})
    registry.get.cache_clear()
    with pytest.raises(DataError, match=r"has the name '../../../../x.csv', which is not a file name"):
        registry.get("mine")
    registry.get.cache_clear()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["mine", "own.yaml", "x.csv"]


def test_the_name_that_gzip_stores_is_not_used(tmp_path):
    packed = tmp_path / "points.data.gz"
    with packed.open("wb") as sink, gzip.GzipFile("../../x.csv", "wb", fileobj=sink) as file:
        file.write(TEXT)
    archives.unpack_file(packed, ["points.data"], tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "points.data.gz"]


# --- archives


PACK = {
    "set.zip": lambda path, name: write_zip(path, {name: TEXT}),
    "set.tar": lambda path, name: write_tar(path, {name: TEXT}, "w"),
    "set.tar.xz": lambda path, name: write_tar(path, {name: TEXT}),
    "set.7z": lambda path, name: write_7z(path, {name: TEXT}),
    "set.rar": lambda path, name: write_rar(path, {name: TEXT}),
}


@pytest.mark.parametrize("name", [f"../../{MEMBER}", f"/{MEMBER}", f"C:/{MEMBER}", f"..\\..\\{MEMBER}"])
@pytest.mark.parametrize("form", PACK)
def test_an_archive_whose_member_leads_out_is_refused(tmp_path, form, name):
    packed, data_file = tmp_path / form, DataFile(USER_FAMILY, form, members={MEMBER: None})
    PACK[form](packed, name)
    uses = [
        lambda: find_members(packed, data_file),
        lambda: archives.unpack_members(packed, {name: tmp_path / "out"}),
    ]
    if form != "set.tar.xz":  # of which unpack_file takes the xz alone
        uses.append(lambda: archives.unpack_file(packed, ["train.txt"], tmp_path / "out"))
    for use in uses:
        with pytest.raises(
            BadArchiveError, match=f"{form} has the member .* which is not a path below its folder"
        ):
            use()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [MEMBER, f"./{MEMBER}", f"set/{MEMBER}"])
@pytest.mark.parametrize("form", PACK)
def test_an_archive_of_usual_names_is_read(tmp_path, form, name):
    PACK[form](tmp_path / form, name)
    members = find_members(tmp_path / form, DataFile(USER_FAMILY, form, members={MEMBER: None}))
    archives.unpack_members(tmp_path / form, {members[MEMBER]: tmp_path / "out"})
    assert (tmp_path / "out").read_bytes() == TEXT


def tar_link(path, kind, target):
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo(MEMBER)
        link.type, link.linkname = kind, str(target)
        archive.addfile(link)


def zip_link(path, target):
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo(MEMBER)
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(target))


def seven_zip_link(path, target):
    (path.parent / "link").symlink_to(target)
    with py7zr.SevenZipFile(path, "w") as archive:
        archive.write(path.parent / "link", MEMBER)


LINKS = {
    "symbolic.tar": lambda path, target: tar_link(path, tarfile.SYMTYPE, target),
    "hard.tar": lambda path, target: tar_link(path, tarfile.LNKTYPE, target),
    "set.zip": zip_link,
    "set.7z": seven_zip_link,
}


@pytest.mark.parametrize("form", LINKS)
def test_a_link_in_an_archive_is_refused(tmp_path, form):
    """Otherwise a member could stand for any file of the machine."""
    secret = put(tmp_path / "secret", b"not yours")
    LINKS[form](tmp_path / form, secret)
    with pytest.raises(
        BadArchiveError, match=f"{form} has the member '{MEMBER}', which is a link and no file"
    ):
        archives.list_members(tmp_path / form)
    with pytest.raises(BadArchiveError, match="which is a link and no file"):
        archives.unpack_members(tmp_path / form, {MEMBER: tmp_path / "out"})
    assert not (tmp_path / "out").exists()


def test_an_outward_member_of_a_download_is_one_sentence(tmp_path):
    """The whole way: a file of the data folder is refused, and nothing appears beside the cache."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../../points.data", TEXT)
    put(tmp_path / "data/small/points.data.zip", buffer.getvalue())
    spec = make_spec()
    with pytest.raises(DataError, match=r"points.data.zip has the member '../../../points.data', which is"):
        obtain(spec, spec.files[0], tmp_path / "data")
    assert not list(tmp_path.rglob("points.data"))

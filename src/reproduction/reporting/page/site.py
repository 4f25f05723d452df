"""The report as a site: a first page, a page a study, an explorer and the background, for the disk.

Every page is made of the sections of the single page. What scripts read stands in files beside the pages, as
scripts: a page that is opened from disk may not fetch anything.
"""

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment

from reproduction.core.atomic_io import atomic_write
from reproduction.reporting.page.fit_details import embed_json
from reproduction.reporting.page.render import make_environment
from reproduction.reporting.page.search_index import build_search_index, read_glossary
from reproduction.reporting.page.verdict_picture import PICTURE, draw_verdict_picture

ARCHIVE = "report.zip"
"""The single page, packed: what a reader takes along."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of a file in the archive, so that the same page gives the same archive."""

HREF = re.compile(r'\bhref="#([^"?]*)((?:\?[^"]*)?)"')
ID = re.compile(r'\bid="([^"]+)"')


def render_site(context: Mapping, single_page: str) -> dict[str, str | bytes]:
    """Render the report as a site.

    Parameters
    ----------
    context : mapping
        As `context.build_page_context` returns it, for pages in a folder of the results.
    single_page : str
        The report as one file, `render.render_page`.

    Returns
    -------
    dict of str to str or bytes
        Name of a file -> its content; `index.html` is the first page.
    """
    # the single page goes along as an archive: its scripts and styles are inside
    archive = pack_page(single_page)
    pages = list_pages(context)
    shared = {**context, **_lead_up(context), "pages": pages, "archive": ARCHIVE}
    shared["archive_megabytes"] = f"{len(archive) / 1e6:.1f}"
    texts = link_pages(
        {
            page["file"]: make_environment(in_site=True)
            .get_template("site/layout.html.j2")
            .render(shared, page=page)
            for page in pages
        }
    )
    environment = make_environment()
    titles = {page["file"]: page["title"] for page in pages}
    # glossary and search are read off the rendered pages, so that they cannot differ from them
    stores = dict(context["stores"]) | {
        "glossary": embed_json(read_glossary(texts["background.html"])),
        "search": embed_json(build_search_index(texts, titles, context["verdicts"])),
    }
    return {
        **texts,
        **{f"{name}.js": _format_store(name, content) for name, content in stores.items()},
        "report.css": _read_asset(environment, "report.css"),
        "report.js": _read_asset(environment, "report.js"),
        PICTURE: draw_verdict_picture(context["cards"], context["chance_levels"]),
        ARCHIVE: archive,
    }


def write_site(files: Mapping[str, str | bytes], folder: str | Path) -> None:
    """Write the files of a site.

    Parameters
    ----------
    files : mapping of str to str or bytes
        As `render_site` returns them.
    folder : path-like
        Folder of the site; it is made where there is none.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with atomic_write(Path(folder, name)) as unfinished:
            unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def list_pages(context: Mapping) -> list[dict]:
    """List the pages of the site in the order of its contents.

    Parameters
    ----------
    context : mapping
        As `context.build_page_context` returns it.

    Returns
    -------
    list of dict
        Of each page ``file``, ``title`` (in the contents), ``heading``, ``template``, ``scripts`` (the stores
        that it loads), ``study``, ``parts`` (anchors and titles in its contents) and ``description``.
    """
    scripts = ("fits", "verdicts", "glossary")
    pages = [_page("index.html", "Overview", "toprank", "site/index.html.j2", scripts)]
    # studies of papers first, our own last
    for study in sorted(context["studies"], key=lambda study: not study["prints"]):
        title = study["paper"].citation if study["paper"] else study["title"]
        heading = title if study["prints"] else "Beyond the papers"
        description = "" if study["prints"] else "the recommendations of our own study"
        if not study["paper"] and not study["prints"]:
            description = "the same protocol in another study"
            if study["has_group_splits"]:
                description = "the same protocol with scaffold splits of the compounds"
        page = _page(f"{study['name']}.html", title, heading, "site/study.html.j2", scripts)
        pages.append(page | {"study": study, "description": description})
    explorer = _page("explorer.html", "Explorer", "Explorer", "site/explorer.html.j2", scripts)
    explorer["parts"] = [("published", "Published numbers"), ("compare", "Two methods compared")]
    explorer["description"] = "every published number beside ours, with filters; any two methods compared"
    background = _page(
        "background.html", "Data and provenance", "Data and provenance", "site/background.html.j2", scripts
    )
    background["parts"] = [
        (name, name.capitalize()) for name in ("data", "verification", "speed", "glossary", "provenance")
    ] + [("run", "The run")]
    background["description"] = "data sets, verification, running times, glossary, versions and seeds"
    return [*pages, explorer, background]


def _page(file: str, title: str, heading: str, template: str, scripts: Sequence[str]) -> dict:
    """Describe a page without parts."""
    page = {"file": file, "title": title, "heading": heading, "template": template, "scripts": scripts}
    return page | {"study": None, "parts": [], "description": ""}


def _lead_up(context: Mapping) -> dict:
    """Turn the addresses relative to the results into addresses relative to the site."""

    def lead_up(address: str) -> str:
        """Put the way out of the folder before a relative address."""
        # the site lies in a folder below the results
        return address if not address or "://" in address else f"../{address}"

    links = [(words, lead_up(address)) for words, address in context["links"]]
    return {"snapshot": lead_up(context["snapshot"]), "links": links}


def link_pages(texts: Mapping[str, str]) -> dict[str, str]:
    """Let links to anchors of other pages lead there.

    Parameters
    ----------
    texts : mapping of str to str
        File -> HTML, with links as on the single page.

    Returns
    -------
    dict of str to str
        The same pages; a link to an anchor that its page lacks and another one has names the file.
    """
    # a link to an anchor on its own page stays; for others the first page that has it is the target
    anchors = {file: set(ID.findall(text)) for file, text in texts.items()}
    files = {anchor: file for file in reversed(texts) for anchor in anchors[file]}

    def link(file: str, text: str) -> str:
        """Rewrite the links of one page."""
        return HREF.sub(
            lambda match: (
                match[0]
                if match[1] in anchors[file] or match[1] not in files
                else f'href="{files[match[1]]}#{match[1]}{match[2]}"'
            ),
            text,
        )

    return {file: link(file, text) for file, text in texts.items()}


def pack_page(page: str) -> bytes:
    """Pack the single page into an archive that is the same for the same page.

    Parameters
    ----------
    page : str
        The report as one file.

    Returns
    -------
    bytes
        A zip archive with report.html.
    """
    # a fixed time and name: the bytes depend on the page only
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        member = zipfile.ZipInfo("report.html", EPOCH)
        archive.writestr(member, page, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def _format_store(name: str, content: str) -> str:
    """Write what scripts read as a script."""
    return f"(window.reportData ??= {{}}).{name} = {content};\n"


def _read_asset(environment: Environment, name: str) -> str:
    """Read a style sheet or a script with what it includes."""
    return environment.get_template(name).render()

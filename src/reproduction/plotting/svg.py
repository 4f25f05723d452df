"""Minify the SVG files of Matplotlib without a change of the picture."""

import re

from reproduction.specs.paper import PLACEHOLDER_TEXT_ID

FONT_FAMILY = "'DejaVu Sans', Verdana, sans-serif"
"""Of the text in an SVG: Verdana is as wide, where DejaVu is not installed."""

ID_PREFIX = "d"
"""Beginning of the ids in an SVG."""


def minify_svg(svg: str) -> str:
    """Write an SVG file of Matplotlib with fewer characters and the same picture.

    Parameters
    ----------
    svg : str
        A whole file with text as text (``svg.fonttype: none``).

    Returns
    -------
    str
        The file with coordinates of two decimals (hundredths of a point), without metadata, comments, line
        breaks and ids that nothing refers to; what every element repeats stands once, on the root.
    """
    # comments, metadata and styles that no element uses
    svg = re.sub(
        r"<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", svg, flags=re.S
    )
    svg = re.sub(r"<defs>\s*</defs>|<defs/>", "", svg)
    # two decimals of a point are finer than any screen or printer
    svg = re.sub(r'\bd="([^"]*)"', lambda match: f'd="{_round_path(match[1])}"', svg)
    svg = re.sub(r'\b(x|y)="([^"]*)"', lambda match: f'{match[1]}="{_round_numbers(match[2])}"', svg)
    svg = re.sub(r"translate\([^)]*\)", lambda match: _round_numbers(match[0]), svg)
    svg = re.sub(r'style="([^"]*)"', lambda match: f'style="{_simplify_style(match[1])}"', svg)
    svg = re.sub(r">\s+<", ">\n<", svg)
    svg = _move_marker_styles(svg)
    # only ids that something refers to, numbered anew
    ids = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    names = {name: f"{ID_PREFIX}{i}" for i, name in enumerate(ids)} | {
        PLACEHOLDER_TEXT_ID: PLACEHOLDER_TEXT_ID
    }
    svg = re.sub(r' id="([^"]*)"', lambda match: f' id="{names[match[1]]}"' if match[1] in names else "", svg)
    svg = re.sub(r'(href="#|url\(#)([^")]+)', lambda match: match[1] + names[match[2]], svg)
    n_removed = 1
    while n_removed:  # remove groups without content
        svg, n_removed = re.subn(r"<g>\n((?:<(?:use|path)\b[^>]*/>\n)*)</g>\n", r"\1", svg)
    root = f'<svg font-family="{FONT_FAMILY}" stroke-linejoin="round" '
    return svg.replace(' style=""', "").replace("<svg ", root, 1)


def _move_marker_styles(svg: str) -> str:
    """Put the style of a marker or tick into its definition if all its uses have the same."""
    uses: dict[str, set[str]] = {}
    for name, style in re.findall(r'<use xlink:href="#([^"]*)"[^>]*? style="([^"]*)"/>', svg):
        uses.setdefault(name, set()).add(style)
    for name, styles in uses.items():
        if len(styles) > 1:
            continue
        (style,) = styles
        pattern = re.escape(name)
        # all uses repeat the style of a definition; the definition of a band has none
        svg = re.sub(
            rf'<path id="{pattern}" (d="[^"]*")(?: style="[^"]*")?/>',
            rf'<path id="{name}" \1 style="{style}"/>',
            svg,
        )
        svg = re.sub(rf'(<use xlink:href="#{pattern}"[^>]*?) style="[^"]*"/>', r"\1/>", svg)
    return svg


def _round_numbers(text: str) -> str:
    """Round the numbers of a text to two decimals."""
    return re.sub(r"-?\d+\.\d{3,}(?:e-?\d+)?", lambda match: f"{round(float(match[0]), 2) + 0.0:g}", text)


def _round_path(data: str) -> str:
    """Round a path, and write the letter of a command once for all lines that follow each other."""
    data = re.sub(r"\s*([A-Za-z])\s*", r"\1", _round_numbers(data).strip())
    return re.sub(r"(?<=L)([^A-Za-z]*)((?:L[^A-Za-z]*)+)", lambda match: match[0].replace("L", " "), data)


def _simplify_style(style: str) -> str:
    """Drop the spaces of a style, and what the root element sets."""
    style = style.replace("'DejaVu Sans'", FONT_FAMILY).replace(f"font-family: {FONT_FAMILY}", "")
    parts = [re.sub(r"\s*:\s*", ":", part.strip()) for part in style.split(";")]
    return ";".join(part for part in parts if part and part != "stroke-linejoin:round")

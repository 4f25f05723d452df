"""The picture of the README: verdicts on the published results of each paper, and what chance would give."""

from collections.abc import Mapping, Sequence

from reproduction.comparison.verdicts import REPRODUCED, VERDICTS
from reproduction.reporting.page.published_values import make_css_class
from reproduction.reporting.page.render import make_environment

PICTURE = "verdicts.svg"
LEFT_PX, WIDTH_PX, ROW_PX = 190, 570, 46
"""Where the bars begin, how wide they are, and the height of a row, in units of the picture."""

MIN_COUNT_PX = 20
"""Width from which a part of a bar bears its count."""

#: Four words of a verdict fill the width of names and bars, LEFT_PX + WIDTH_PX.
LEGEND_COLUMNS, LEGEND_COLUMN_PX, LEGEND_ROW_PX = 4, 190, 20
TICK_TEXT = "chance: agree or consistent with permuted values"


def draw_verdict_picture(cards: Sequence[Mapping], chance_levels: Mapping[str, Mapping]) -> str:
    """Draw the verdicts on the published results, a bar a paper.

    Parameters
    ----------
    cards : sequence of mapping
        As `published_values.summarise_studies` returns them; one without published results has no bar.
    chance_levels : mapping of str to mapping
        Study -> as `chance.measure_chance_level` returns it: where the tick of the bar stands.

    Returns
    -------
    str
        A whole SVG file for light and dark pages.
    """
    cards = [card for card in cards if card["results"]["total"]]
    bars = [
        {
            "y": 10 + ROW_PX * number,
            "label": card["cited"],
            "parts": _place_parts(card["results"]),
            "tick": _place_tick(chance_levels.get(card["study"], {})),
        }
        for number, card in enumerate(cards)
    ]
    # the legend below the bars, after a margin of 10
    top = 10 + ROW_PX * len(cards)
    texts = [(make_css_class(verdict), verdict) for verdict in VERDICTS] + [("tick", TICK_TEXT)]
    legend = [
        {
            "css": css,
            "text": text,
            "x": LEGEND_COLUMN_PX * (number % LEGEND_COLUMNS),
            "y": top + LEGEND_ROW_PX * (number // LEGEND_COLUMNS),
        }
        for number, (css, text) in enumerate(texts)
    ]
    height = legend[-1]["y"] + LEGEND_ROW_PX
    template = make_environment().get_template("verdicts.svg.j2")
    return template.render(bars=bars, legend=legend, height=height, description=_describe(cards)) + "\n"


def _place_parts(results: Mapping) -> list[dict]:
    """Place the parts of a bar, the reproduced ones first."""
    parts, start = [], 0
    for verdict in results["verdicts"]:
        # bars of equal width: parts are shares of the published results
        width = WIDTH_PX * verdict["count"] / results["total"]
        if verdict["count"]:
            place = {"x": f"{LEFT_PX + start:.1f}", "width": f"{width:.1f}"}
            middle = {"middle": f"{LEFT_PX + start + width / 2:.1f}", "is_wide": width >= MIN_COUNT_PX}
            parts.append({"css": verdict["css"], "count": verdict["count"]} | place | middle)
        start += width
    return parts


def _place_tick(level: Mapping) -> str:
    """Place the tick where agreement by chance would end; "" where chance was not measured."""
    return f"{LEFT_PX + WIDTH_PX * float(level['share']) / 100:.1f}" if level else ""


def _describe(cards: Sequence[Mapping]) -> str:
    """Write the text alternative of the picture."""
    sentences = []
    for card in cards:
        counts = {verdict["name"]: verdict["count"] for verdict in card["results"]["verdicts"]}
        reproduced = sum(counts[name] for name in REPRODUCED)
        sentences.append(
            f"{card['cited']}: {reproduced} of {card['results']['total']} agree or are consistent."
        )
    return "Verdicts on the published results. " + " ".join(sentences)

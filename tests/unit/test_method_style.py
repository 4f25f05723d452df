"""Styles of methods: told apart with any colour vision, without colour, and from white."""

import itertools

import figure_rows
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from reproduction.papers.laporte2014.significance import METHODS
from reproduction.papers.rakotomamonjy2012.paths.figure import CURVE_COLOURS
from reproduction.plotting.style import (
    GREY,
)
from reproduction.specs.labels import FALLBACK_COLOURS, FALLBACK_MARKERS, METHOD_STYLE, method_styles

# Machado, Oliveira and Fernandes (2009), of full severity, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


WHITE = np.array([0.95047, 1.0, 1.08883])


MIN_COLOUR_DISTANCE = 18.0
"""CIELAB distance of two methods in one figure: a just noticeable one is 2.3."""


CONTRAST = 3.0
"""Of graphics on white, as WCAG 2.1 (1.4.11) demands."""


TOGETHER = {
    "K15": figure_rows.FAMILY,
    "R12": figure_rows.TOY,
    "R12 times": figure_rows.TIMED,
    "L14": (*METHODS, "adaptive_l1_ranksvm", "scad_ranksvm"),
}
"""Methods that stand in one figure, those that tune what another fixes aside: they share its colour."""


def linear(colour):
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    relative = TO_XYZ @ rgb / WHITE
    f = np.where(relative > 216 / 24389, np.cbrt(relative), (24389 / 27 * relative + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def simulate_vision(colour, vision):
    return lab(np.clip(np.asarray(VISION[vision]) @ linear(colour), 0, 1))


def contrast_with_white(colour):
    return 1.05 / (0.05 + TO_XYZ[1] @ linear(colour))


def test_the_colour_space_is_the_known_one():
    np.testing.assert_allclose(simulate_vision("#ff0000", "normal"), [53.24, 80.09, 67.20], atol=0.02)
    ends = [contrast_with_white("#000000"), contrast_with_white("#ffffff")]
    assert ends == pytest.approx([21.0, 1.0], abs=1e-6)
    red, green = "#d62728", "#5b8f00"  # the same to who lacks green cones, and not to others
    distance = {
        name: np.linalg.norm(simulate_vision(red, name) - simulate_vision(green, name)) for name in VISION
    }
    assert distance["deuteranopia"] < distance["normal"] / 2


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("group", TOGETHER)
def test_methods_of_one_figure_differ_with_any_colour_vision(group, vision):
    for first, other in itertools.combinations(TOGETHER[group], 2):
        pair = [simulate_vision(METHOD_STYLE[method].colour, vision) for method in (first, other)]
        assert np.linalg.norm(pair[0] - pair[1]) >= MIN_COLOUR_DISTANCE, (first, other)


@pytest.mark.parametrize("group", TOGETHER)
def test_methods_of_one_figure_differ_without_colour(group):
    looks = [(METHOD_STYLE[method].marker, METHOD_STYLE[method].is_filled) for method in TOGETHER[group]]
    assert len(set(looks)) == len(looks)


def test_a_tuned_method_is_the_open_marker_of_the_fixed_one():
    for name in ("mcp_ranksvm", "log_ranksvm", "lp_ranksvm"):
        fixed, tuned = METHOD_STYLE[name], METHOD_STYLE[f"{name}_tuned"]
        assert (tuned.colour, tuned.marker) == (fixed.colour, fixed.marker)
        assert fixed.is_filled and not tuned.is_filled


def test_every_colour_stands_out_from_white():
    colours = {style.colour for style in METHOD_STYLE.values()} | {*FALLBACK_COLOURS, *CURVE_COLOURS, GREY}
    for colour in colours:
        assert contrast_with_white(colour) >= CONTRAST, colour


def test_unknown_methods_have_a_look_of_their_own():
    styles = method_styles([f"m{i:02d}" for i in range(len(FALLBACK_COLOURS) * len(FALLBACK_MARKERS))])
    assert len({(style.colour, style.marker) for style in styles.values()}) == len(styles)
    assert not {style.marker for style in METHOD_STYLE.values()} & set(FALLBACK_MARKERS)

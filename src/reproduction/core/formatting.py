"""What the LaTeX tables share: text and numbers as pdflatex reads them, in plain ASCII."""

import math
import re
import unicodedata

LATEX_SPECIAL_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",  # else an optional argument where it follows the end of a row
    "*": "{*}",
}
"""ASCII characters that LaTeX would read as a command, or show as another character."""

_LATEX_MATHEMATICS = (
    ("αβγδεζηθ", r"\alpha \beta \gamma \delta \varepsilon \zeta \eta \theta"),
    ("ικλμνξπρ", r"\iota \kappa \lambda \mu \nu \xi \pi \rho"),
    ("στυφχψως", r"\sigma \tau \upsilon \varphi \chi \psi \omega \varsigma"),
    ("ΓΔΘΛΞΠΣΥΦΨΩ", r"\Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega"),
    ("±×·−≤≥≠≈∼°∞", r"\pm \times \cdot - \leq \geq \neq \approx \sim ^{\circ} \infty"),
    ("∇∂√∈→←‖⟨⟩", r"\nabla \partial \surd \in \rightarrow \leftarrow \| \langle \rangle"),
    ("ℓℝ★●•½¼", r"\ell \mathbf{R} \star \bullet \bullet \frac{1}{2} \frac{1}{4}"),
    ("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", " ".join(f"^{{{sign}}}" for sign in "0123456789+-")),
    ("ᵢₖₙ₊₋", " ".join(f"_{{{sign}}}" for sign in "ikn+-")),
    ("₀₁₂₃₄₅₆₇₈₉", " ".join(f"_{i}" for i in range(10))),
)
"""Signs, and the commands for them in mathematics, in the same order."""

LATEX_CHARACTERS = (
    LATEX_SPECIAL_CHARACTERS
    | {
        sign: f"${name}$"
        for signs, names in _LATEX_MATHEMATICS
        for sign, name in zip(signs, names.split(), strict=True)
    }
    | {
        "–": "--",
        "—": "---",
        "‐": "-",
        "‑": "-",
        "“": "``",
        "”": "''",
        "‘": "`",
        "’": "'",
        "…": r"\dots{}",
        "⋯": r"$\cdots$",
        "§": r"\S{}",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
        "©": r"\copyright{}",
        "ß": r"\ss{}",
        "æ": r"\ae{}",
        "œ": r"\oe{}",
        "ø": r"\o{}",
        "ł": r"\l{}",
        "ı": r"\i{}",
        "\u200b": "",
    }
)
"""Character -> what stands for it."""

_LATEX_ACCENTS = {
    "\u0300": ("`", "grave"),
    "\u0301": ("'", "acute"),
    "\u0302": ("^", "hat"),
    "\u0303": ("~", "tilde"),
    "\u0304": ("=", "bar"),
    "\u0306": ("u", "breve"),
    "\u0307": (".", "dot"),
    "\u0308": ('"', "ddot"),
    "\u030a": ("r", "mathring"),
    "\u030c": ("v", "check"),
    "\u0327": ("c", None),
}
"""Combining mark -> the command that sets it above text, and in mathematics."""


def escape_latex(text: object) -> str:
    """Escape what LaTeX would read as a command, and spell in ASCII what pdflatex does not know.

    A character that is not in `LATEX_CHARACTERS` and is no letter with an accent stands as its Unicode name
    in brackets, so that no text from a result can break a document.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is written.

    Returns
    -------
    str
        ASCII on one line.
    """
    parts: list[str] = []
    for character in " ".join(str(text).split()):
        replacement = LATEX_CHARACTERS.get(character)
        # letters with accents fall apart into a letter and combining marks
        if replacement is None and not character.isascii():
            for part in unicodedata.normalize("NFD", character):
                _append_character(parts, part)
        elif character == "-" and parts and parts[-1].endswith("-"):
            parts.append("{}-")  # two hyphens would become a dash
        elif replacement is None and not character.isprintable():
            parts.append(_unicode_name(character))
        else:
            parts.append(character if replacement is None else replacement)
    return "".join(parts)


def _append_character(parts: list[str], character: str) -> None:
    """Append one character, or put a combining mark above the last one."""
    if character in _LATEX_ACCENTS and parts and parts[-1]:
        command, in_mathematics = _LATEX_ACCENTS[character]
        # the mark goes above what the last character became
        previous = parts.pop()
        if previous.startswith("$") and in_mathematics:
            parts.append(rf"$\{in_mathematics}{{{previous.strip('$')}}}$")
        else:
            parts.append(rf"\{command}{{{previous}}}")
    else:
        parts.append(
            LATEX_CHARACTERS.get(character)
            or (character if character.isascii() else _unicode_name(character))
        )


def _unicode_name(character: str) -> str:
    """Return the Unicode name of a character in brackets, as LaTeX source."""
    return f"{{[}}{unicodedata.name(character, f'U+{ord(character):04X}')}{{]}}"


def escape_breakable(text: object) -> str:
    """Escape a text for a narrow column: lines may also break within addresses, names and paths.

    Parameters
    ----------
    text : object
        Anything; its ``str`` is written.

    Returns
    -------
    str
        LaTeX source in ASCII.
    """
    # after slashes and other joints of a path, between module and function, before a bracket
    pieces = re.split(r"(?<=[/_=:])(?=\S)|(?<=[a-z]\.)(?=[a-z])|(?<=[a-z0-9])(?=\()", str(text))
    return r"\allowbreak{}".join(map(escape_latex, pieces))


def shrink_tabulars(text: str) -> str:
    """Make every tabular in a text as narrow as the page where it is wider.

    Parameters
    ----------
    text : str
        LaTeX source; the document must load graphicx.

    Returns
    -------
    str
        The source with each tabular in a resizebox.
    """
    opening = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    pattern = r"\\begin\{tabular\}.*?\\end\{tabular\}"
    return re.sub(pattern, lambda match: f"{opening}\n{match[0]}}}", text, flags=re.DOTALL)


def format_count(n: float, noun: str) -> str:
    """Write a count with its noun, which is in the plural unless the count is 1.

    Parameters
    ----------
    n : float
        A whole number.
    noun : str
        In the singular; its plural ends in s.

    Returns
    -------
    str
    """
    return f"{n:.0f} {noun}" if n == 1 else f"{n:.0f} {noun}s"


def format_short(value: float) -> str:
    """Write a number with three significant digits, without an exponent where it has at most six digits.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str
        For instance "0.0123" or "1.23e+07".
    """
    if value == 0:
        return "0"
    # the exponent after rounding to three digits: 9.996 is 10.0
    exponent = math.floor(math.log10(abs(float(f"{value:.2e}"))))
    return f"{value:.{max(0, 2 - exponent)}f}" if -4 < exponent < 6 else f"{value:.2e}"


def typeset_minus(text: str) -> str:
    """Write negative numbers with the sign of mathematics; the exponent in 1e-05 keeps its hyphen.

    Parameters
    ----------
    text : str
        Text with numbers.

    Returns
    -------
    str
        The text with U+2212 for the minus signs.
    """
    return re.sub(r"(?<![\w.])-(?=[\d.])", "\N{MINUS SIGN}", text)


def format_percent(share: float) -> str:
    """Write a share as per cent, with two significant digits below 10 and without decimals above.

    Parameters
    ----------
    share : float
        Share between 0 and 1.

    Returns
    -------
    str
        For instance "2.5 %" or "37 %".
    """
    # 9.95 is where two digits round to 10
    return f"{100 * share:.2g} %" if 100 * share < 9.95 else f"{100 * share:.0f} %"


def format_mean_std(mean: float, std: float) -> str:
    """Write a mean and its standard deviation, without the latter where there is none (a single split).

    Parameters
    ----------
    mean : float
        The mean.
    std : float
        The standard deviation; NaN where there is none.

    Returns
    -------
    str
        For instance "0.123 ± 0.0045".
    """
    return format_short(mean) if math.isnan(std) else f"{format_short(mean)} ± {format_short(std)}"


def format_latex_number(cell: object) -> str:
    """Write a cell of a result file: a number with three significant digits, or the word that it holds.

    Parameters
    ----------
    cell : object
        Number or text.

    Returns
    -------
    str
        LaTeX source; "none" for NaN.
    """
    try:
        value = float(str(cell))
    except ValueError:
        return escape_latex(cell)
    if math.isnan(value):
        return "none"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    text = str(int(value)) if value == int(value) and abs(value) < 1e6 else format_short(value)
    mantissa, exponential, exponent = text.partition("e")
    power = rf"\times 10^{{{int(exponent)}}}" if exponential else ""
    return f"${mantissa}{power}$" if power or mantissa.startswith("-") else mantissa

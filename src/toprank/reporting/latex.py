"""What the LaTeX tables share: text and numbers as LaTeX has them."""

from __future__ import annotations

import math

SPECIAL = {
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
    "λ": r"$\lambda$",
    "ℓ": r"$\ell$",
    "₁": r"$_1$",
    "₂": r"$_2$",
    "₀": r"$_0$",
    "₅": r"$_5$",
    "γ": r"$\gamma$",
    "ε": r"$\varepsilon$",
}


def escape(text: str) -> str:
    """Escape what LaTeX would read as a command."""
    return "".join(SPECIAL.get(character, character) for character in str(text))


def short(value: float) -> str:
    """Write a number with three significant digits, without an exponent where it has at most six digits."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.2e}"))))
    return f"{value:.{max(0, 2 - exponent)}f}" if -4 < exponent < 6 else f"{value:.2e}"


def with_spread(mean: float, std: float) -> str:
    """Write a mean and its standard deviation, without the latter where there is none (a single split)."""
    return short(mean) if math.isnan(std) else f"{short(mean)} ± {short(std)}"

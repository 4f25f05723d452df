"""``python -m reproduction.datasets add FILE``: write the entry of a data set of one's own."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from reproduction.core.errors import DataError, suggest_nearest
from reproduction.datasets.add_dataset import add_dataset

FILES = (
    "a table (CSV, Parquet), SVMlight text with or without qid, plain or packed, or a folder or archive of "
    "LETOR's folds"
)


class Parser(argparse.ArgumentParser):
    """Command line whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Leave with the sentence; an unknown option is answered with the nearest known one.

        Parameters
        ----------
        message : str
            What argparse says.
        """
        known_options = [
            option for action in self._actions for option in action.option_strings if option[:2] == "--"
        ]
        unknown = message.removeprefix("unrecognized arguments: ").split()[0]
        if unknown.startswith("-"):
            message = f"unknown option {unknown!r}{suggest_nearest(unknown.split('=')[0], known_options)}"
        sys.exit(f"{self.prog}: {message.rstrip('.')}.".replace("?.", "?"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.
    """
    parser = Parser(prog="python -m reproduction.datasets add", description=__doc__, allow_abbrev=False)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=FILES)
    parser.add_argument("--name", help="of the data set; by default the name of the file")
    parser.add_argument("--label", metavar="COLUMN", help="the label, by its name, or its number from 0")
    parser.add_argument("--positive", action="append", metavar="VALUE", help="a label that is relevant")
    parser.add_argument(
        "--query", "--qid", metavar="COLUMN", help="tells the queries apart; the label is a relevance"
    )
    parser.add_argument(
        "--group",
        metavar="FILE",
        help="with the number of rows of each query, one a line",
    )
    parser.add_argument("--left-out", action="append", metavar="COLUMN", help="no feature")
    parser.add_argument(
        "--one-hot", action="store_true", help="make a feature of each value of the columns of text"
    )
    parser.add_argument(
        "--categories", action="append", metavar="COLUMN", help="a column whose values become features so"
    )
    parser.add_argument(
        "--missing", metavar="HOW", help="drop the rows of empty cells, or fill them by the median"
    )
    parser.add_argument("--mark", help="marker of a missing value, besides the empty cell")
    parser.add_argument("--separator", help="of cells: one character, or the word spaces")
    parser.add_argument(
        "--header", action=argparse.BooleanOptionalAction, help="whether a row names the columns"
    )
    parser.add_argument(
        "--registry", type=Path, default=Path("own_data.yaml"), help="where the entry is written"
    )
    parser.add_argument("--follow", action="store_true", help="no checksum: the content decides at each run")
    parser.add_argument("--replace", action="store_true", help="overwrite the entry of this name")
    arguments_list = list(sys.argv[1:] if arguments is None else arguments)
    if arguments_list[:1] == ["add"]:
        arguments_list = arguments_list[1:]
    elif not arguments_list or arguments_list[0] not in ("-h", "--help"):
        sys.exit("python -m reproduction.datasets knows one command: add FILE (see --help).")
    options = vars(parser.parse_args(arguments_list))
    try:
        print(add_dataset(options.pop("files"), options.pop("registry"), **options))
    except DataError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

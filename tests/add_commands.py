"""The command that adds a data set, called as a user calls it, and a table to add."""

import pytest

from reproduction.datasets import registry
from reproduction.datasets.__main__ import main

TABLE = "id;age;dose;outcome\na;1;2.5;ill\nb;3;4;well\nc;5;6;ill\nd;7;8;well\n"


PATIENTS = ["--label", "outcome", "--positive", "ill", "--left-out", "id"]


def clear_registry():
    registry.get.cache_clear()
    registry.read_user_registry.cache_clear()


def add_dataset(*words):
    clear_registry()
    main(["add", *words])


def get_refusal(*words):
    with pytest.raises(SystemExit) as exit_info:
        add_dataset(*words)
    message = str(exit_info.value)
    assert "\n" not in message and message.endswith((".", "?")), message
    return message

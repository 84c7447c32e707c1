"""What a run of the whole suite leaves out."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import whole_suite  # noqa: E402


def pytest_addoption(parser):
    whole_suite.add_option(parser)


def pytest_configure(config):
    config.addinivalue_line("markers", "long: left out of a run of the whole suite (tests/whole_suite.py)")


def pytest_collection_modifyitems(config, items):
    whole_suite.leave_out(config, items, lambda item: whole_suite.is_left_out(config, item))

"""What a run of a whole suite leaves out: tests marked `long`.

The suite keeps a short form of each: one test of the same part of the product that costs seconds less. `--long` (scripts/test --long)
runs them too, and so does whoever names a file, a test or `-k`. Used by the conftest.py of a suite, which has the options.
"""
import contextlib


def is_named(config):
    """Somebody said which tests."""
    return bool(config.option.keyword) or any(".py" in argument for argument in config.args)


def leave_out(config, items, is_left_out):
    left_out = [item for item in items if is_left_out(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        kept = set(items) - set(left_out)
        items[:] = [item for item in items if item in kept]


def add_option(parser):
    with contextlib.suppress(ValueError):  # another suite of the same run has added it
        parser.addoption("--long", action="store_true", help="also tests marked long, which a run of the whole suite leaves out")


def is_left_out(config, item):
    return item.get_closest_marker("long") and not config.getoption("--long") and not is_named(config)

#!/usr/bin/env python3
"""Prints the tests of a JUnit file, one a line: "passed|failed|skipped NAME", sorted by name.

    scripts/test_parts/junit.py FILE

ctest and pytest both write such files. A test that is listed more than once (pytest lists an error of the teardown
apart) has the worst of its results. A file that does not exist or cannot be read has no tests.
"""
import sys
import xml.etree.ElementTree as tree

RESULTS = ["skipped", "passed", "failed"]  # from good to bad
TAGS = {"failure": "failed", "error": "failed", "skipped": "skipped"}
STATUSES = {"fail": "failed", "notrun": "skipped", "disabled": "skipped"}  # ctest has them as an attribute, too


def result_of(case):
    found = [TAGS[child.tag] for child in case if child.tag in TAGS]
    found.append(STATUSES.get(case.get("status"), "skipped" if found else "passed"))
    return max(found, key=RESULTS.index)


def name_of(case):
    parts = [case.get("classname"), case.get("name")]
    if parts[0] == parts[1]:  # ctest
        parts = parts[1:]
    return " ".join("::".join(part for part in parts if part).split())


def tests_of(path):
    try:
        cases = list(tree.parse(path).iter("testcase"))
    except (OSError, tree.ParseError):
        return {}
    tests = {}
    for case in cases:
        name, result = name_of(case), result_of(case)
        tests[name] = max(tests.get(name, result), result, key=RESULTS.index)
    return tests


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for test, outcome in sorted(tests_of(sys.argv[1]).items()):
        print(outcome, test)

"""Three linters read the contract: each finds what the others miss."""
import sys

import pytest
from conftest import TOP, output_of


@pytest.mark.long
def test_redocly(tools):
    output_of(tools / "redocly", "lint", "--config", "api/redocly.yaml", "api/openapi.yaml", cwd=TOP)


def test_spectral(tools, bundle):
    output_of(tools / "spectral", "lint", "--fail-severity", "warn", "--ruleset", "api/.spectral.yaml", bundle, cwd=TOP)


def test_openapi_spec_validator():
    output_of(sys.executable, "-m", "openapi_spec_validator", "api/openapi.yaml", cwd=TOP)

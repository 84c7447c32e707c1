"""A fixture for test modules whose tests share what is made: import the module, and name its fixture."""
import pytest

from rest import Api


@pytest.fixture(scope="module")
def api(shared_place, keys):
    """REST, as ann; for all tests of the module."""
    made = Api(shared_place.server(0), keys["ann"])
    yield made
    made.close()

"""A fixture for test modules whose tests share what is made: import it by its name."""
import pytest

from browsing import set_password
from rest import Api


@pytest.fixture(scope="module")
def api(shared_place, keys, secret_file, tmp_path_factory):
    """REST, as ann, who has a password; for all tests of the module."""
    set_password(shared_place.db, secret_file, tmp_path_factory.mktemp("password"))
    made = Api(shared_place.server(0), keys["ann"])
    yield made
    made.close()

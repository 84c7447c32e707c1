"""A server with TLS by an authority of one's own, as docs/wandb.md says how to name it."""
import pathlib
import sys

import pytest
from server import Server

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "http"))
from certificate import Authority  # noqa: E402
from client import Client  # noqa: E402


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def secure(place, authority):
    cert, key = authority.issue("cairn")
    with Server(place.db.url, place.secret_file, tls_cert_file=cert, tls_key_file=key) as server:
        yield f"https://localhost:{server.port}"


def train(tmp):
    """By the helper process, and by the Python part."""
    import wandb
    with wandb.init(id="secure") as run:
        run.log({"loss": 0.5})
        with open(f"{tmp}/weights", "w") as f:
            f.write("x" * 1000)
        run.save(f"{tmp}/weights", base_path=tmp)
    found = wandb.Api().run(f"ann/{run.project}/secure")
    content = found.file("weights").download(root=tmp + "/got").read()
    return [row["loss"] for row in found.scan_history()], len(content)


@pytest.mark.long_if_old
@pytest.mark.feature("a server with a certificate of a private CA")
def test_a_private_ca(secure, authority, version, keys, project, tmp_path):
    client = Client(version, secure, keys["ann"], tmp_path / "machine", WANDB_PROJECT=project,
                    SSL_CERT_FILE=str(authority.file), REQUESTS_CA_BUNDLE=str(authority.file))
    try:
        assert client.call(train, tmp=str(tmp_path)).value == [[0.5], 1000]
    finally:
        client.close()

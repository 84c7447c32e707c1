"""`wandb artifact put`, `get`, `ls` and `cache cleanup`."""
import pytest


@pytest.mark.long_if_old
@pytest.mark.feature("wandb artifact put, get, ls, cache cleanup")
def test_commands(make_client, version, project, stored):
    client, other = make_client(version), make_client(version)
    folder = client.folder / "data/in"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("ü")
    (client.folder / "data/b.bin").write_bytes(bytes(range(256)))
    path = f"ann/{project}/digits"
    put = client.wandb("artifact", "put", "--name", path, "--type", "dataset", "--description", "by hand", "--alias", "first",
                       "data")
    assert put.code == 0 and "digits:v0" in put.out, put
    (folder / "a.txt").write_text("changed")
    assert client.wandb("artifact", "put", "--name", path, "--type", "dataset", "data").code == 0
    assert client.wandb("artifact", "put", "--name", f"ann/{project}/single", "--type", "model", "data/b.bin").code == 0
    listed = other.wandb("artifact", "ls", f"ann/{project}")
    assert listed.code == 0, listed
    lines = [line.removeprefix("wandb: ").split() for line in listed.out.splitlines() if ":v" in line]
    assert sorted((line[0], line[-1]) for line in lines) == [("dataset", "digits:v1"), ("model", "single:v0")], listed
    only = other.wandb("artifact", "ls", "--type", "model", f"ann/{project}")
    assert only.code == 0 and "single:v0" in only.out and "digits" not in only.out
    got = other.wandb("artifact", "get", "--root", "back", f"{path}:first")
    assert got.code == 0, got
    assert (other.folder / "back/in/a.txt").read_text() == "ü"
    assert (other.folder / "back/b.bin").read_bytes() == bytes(range(256))
    assert stored("digits:first").files == {"in/a.txt": "ü".encode(), "b.bin": bytes(range(256))}
    assert stored("single:latest").files == {"b.bin": bytes(range(256))}
    wrong = other.wandb("artifact", "get", "--type", "model", f"{path}:first")
    assert wrong.code != 0
    cleaned = other.wandb("artifact", "cache", "cleanup", "0MB")
    assert cleaned.code == 0 and "Reclaimed" in cleaned.out, cleaned
    again = other.wandb("artifact", "get", "--root", "again", f"{path}:first")  # what the cache does not have any more
    assert again.code == 0 and (other.folder / "again/in/a.txt").read_text() == "ü", again

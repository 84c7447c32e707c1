"""An UpsertBucket costs the database one transaction for the run and one flush for its process and config."""
import pytest
from wire import new_client_id

TRIES, TRIES_MOST = 12, 200  # background jobs write at the same time, on a busy machine during most calls
CHEAPEST = (1, 2)


@pytest.fixture
def cost(server, db):
    """cost(call): flushes and transactions with writes of the cheapest of some calls."""
    def read():
        return (server.metric("cairn_ingest_flushes_total"),
                int(db.value("select pg_snapshot_xmax(pg_current_snapshot())::text")))

    def measured(call):
        found = []
        while len(found) < TRIES or (min(found) != CHEAPEST and len(found) < TRIES_MOST):
            before = read()
            call(len(found))
            after = read()
            found.append((int(after[0] - before[0]), after[1] - before[1]))
        return min(found)
    return measured


def environment_of(client_id):
    return {"_wandb": {"e": {client_id: {"os": "Linux"}}}, "lr": 1}


def test_a_process_begins(wire, read, cost):
    assert cost(lambda n: wire.start(f"r{n}", config={"lr": n})) == CHEAPEST
    assert [read(f"r{n}").config()["lr"] for n in range(TRIES)] == list(range(TRIES))


def test_a_process_resumes(wire, cost):
    wire.start("r1", config={"lr": 1}).complete()
    assert cost(lambda _: wire.resume("r1")) == CHEAPEST


def test_a_worker_begins(wire, read, cost):
    wire.start("r1", shared=True)
    assert cost(lambda n: wire.start("r1", shared=True, config={"lr": n})) == CHEAPEST
    assert {one["role"] for one in read("r1").writers().values()} == {"worker"}


def test_a_primary_begins(wire, read, cost):
    """Its config tells that it is one."""
    def begin(number):
        client_id = new_client_id()
        wire.start(f"r{number}", client_id=client_id, config=environment_of(client_id))
    assert cost(begin) == CHEAPEST
    for number in range(TRIES):
        assert {one["role"] for one in read(f"r{number}").writers().values()} == {"primary"}


def test_a_config_that_changes(wire, cost):
    process = wire.start("r1", shared=True)
    assert cost(lambda n: process.upsert(config={"lr": n})) == CHEAPEST

"""run.alert(): kept with the run, and sent to the project's webhook."""
import pytest
from receiver import Receiver


@pytest.fixture(scope="session")
def settings():
    """The receiver is on this machine."""
    return {"webhook_hosts": "127.0.0.0/8"}


def raise_alerts():
    import datetime

    import wandb
    run = wandb.init(id="r1")
    run.alert("loss is high", "größe\n" * 3)
    run.alert(title="loss is high", text="again", level=wandb.AlertLevel.WARN, wait_duration=3600)
    run.alert("x" * 400, "y" * 20000, level="ERROR", wait_duration=datetime.timedelta(seconds=5))
    run.alert("a third", "", level="WARN")
    run.log({"x": 1})
    run.finish()


@pytest.mark.long_if_old
@pytest.mark.own
@pytest.mark.feature("alerts: kept, shown over REST, sent to a webhook")
def test_alerts(client, api, project, read, wait_for):
    with Receiver() as receiver:
        api.put(f"/api/v1/projects/ann/{project}", {})
        api.put(f"/api/v1/projects/ann/{project}/webhook", {"url": receiver.url})
        done = client.call(raise_alerts)
        assert done.code == 0, done
        run = read("r1")
        shown = api.pages(f"{run.path}/alerts")
        assert [(a["title"], a["level"], a["repeats"]) for a in shown] == [
            ("loss is high", "info", 1), ("x" * 256, "error", 0), ("a third", "warn", 0)]
        assert [a["text"] for a in shown] == ["größe\n" * 3, "y" * 16384, ""]
        assert {a["user"] for a in shown} == {"ann"} and run.state == "finished"
        wait_for(lambda: len(receiver.messages) == 3)
        assert {m.json["title"]: m.json["level"] for m in receiver.messages} == {
            "loss is high": "info", "x" * 256: "error", "a third": "warn"}


def alert_of_worker(name):
    import wandb
    settings = wandb.Settings(mode="shared", x_label="rank1", x_primary=False)
    run = wandb.init(id=name, settings=settings)
    print("a line")
    run.alert("from a worker", "", level="INFO")
    run.finish()


@pytest.mark.long_if_old
@pytest.mark.feature("alerts: kept, shown over REST, sent to a webhook")
def test_whose_alert(client, api, read, wait_for):
    assert client.call(alert_of_worker, name="r1").code == 0
    one, = api.pages(f"{read('r1').path}/alerts")
    assert (one["title"], one["delivery"]["state"]) == ("from a worker", "nowhere")
    assert one["label"] == "rank1"

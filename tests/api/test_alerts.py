"""Alerts of runs, and the webhook of a project that they are sent to."""
import contextlib

import pytest

from receiver import DROP, HANG, Receiver
from runs import Run
from server import Server

SECRET = "what only the receiver knows"
LOCAL = "external, 127.0.0.0/8"


@pytest.fixture(scope="module")
def settings():
    """Receivers of these tests are on this machine, which is not allowed unless it is said."""
    return {"webhook_hosts": LOCAL, "webhook_timeout_s": 30}


@pytest.fixture
def receiver():
    with Receiver() as made:
        yield made


def alert(run, title="loss is high", **more):
    return run.api.post(f"{run.path}/alerts", {"title": title, "wait_s": 0, **more}).json


def alerts(run):
    return run.api.pages(f"{run.path}/alerts", limit=3)


def delivery(run, number=1):
    return alerts(run)[number - 1]["delivery"]


@pytest.fixture
def hook(api, home, run):
    """hook(url, …): sets the webhook of the project."""
    def put(url, **more):
        return api.put(f"{home}/webhook", {"url": url, **more}).json
    return put


# ---- what is kept ----------------------------------------------------------------------------------

def test_alerts_are_kept_in_order(run):
    run.join("proc-1", label="rank0")
    made = alert(run, "first", text="ä\n" * 10, level="error", writer="proc-1")
    assert (made["number"], made["level"], made["writer"], made["label"], made["user"]) == (1, "error", 0, "rank0", "ann")
    assert made["delivery"] == {"state": "nowhere", "tries": 0, "tried_at": None, "next_at": None, "status": None,
                                "fault": None}
    for i in range(2, 6):
        alert(run, f"no {i}", writer="nobody")
    shown = alerts(run)
    assert [one["number"] for one in shown] == [1, 2, 3, 4, 5] and shown[0] == made
    assert [one["writer"] for one in shown] == [0, None, None, None, None]
    assert shown[1]["text"] == "" and shown[1]["level"] == "info"


def test_a_title_waits(run, shift_clock):
    first = alert(run, wait_s=60)
    again = run.api.request("POST", f"{run.path}/alerts", {"title": "loss is high", "text": "other", "wait_s": 60})
    assert again.status == 200
    assert (again["number"], again["repeats"], again["text"]) == (1, 1, "") and again["repeated_at"] > first["created_at"]
    assert alert(run, "another title", wait_s=60)["number"] == 2
    shift_clock(61)
    assert alert(run, wait_s=60)["number"] == 3
    assert [one["repeats"] for one in alerts(run)] == [1, 0, 0]


BAD = [({}, "title"), ({"title": ""}, "title"), ({"title": "a\nb"}, "title"), ({"title": "x" * 257}, "title"),
       ({"title": "x", "text": "y" * 16385}, "text"), ({"title": "x", "level": "WARN"}, "level"),
       ({"title": "x", "wait_s": -1}, "wait_s"), ({"title": "x", "writer": "a b"}, "writer"),
       ({"title": "x", "severity": "warn"}, "severity")]


@pytest.mark.parametrize("body, field", BAD)
def test_bad_alerts(run, body, field):
    assert run.api.refused(400, "invalid", "POST", f"{run.path}/alerts", body)["field"] == field
    assert alerts(run) == []


def test_sizes_from_within(run):
    made = alert(run, "x" * 256, text="y" * 16384)
    assert (len(made["title"]), len(made["text"])) == (256, 16384)


def test_a_run_has_a_thousand(run, db):
    """The last of them is made by hand and those before it by a statement."""
    alert(run)
    db.query("insert into run_alert (run_id, number, title, text, level, created_at, repeats, delivery, tries, fault) "
             "select run_id, n, 'many', '', 1, now(), 0, 0, 0, '' from run_alert a, generate_series(2, 999) n "
             "where a.run_id = (select r.run_id from run r join project p using (project_id) where p.name = %s)",
             run.path.split("/")[5])
    db.query("update run_hot h set alerts = (select max(number) from run_alert a where a.run_id = h.run_id) where alerts = 1")
    assert alert(run, "the last")["number"] == 1000
    run.api.refused(422, "unprocessable", "POST", f"{run.path}/alerts", {"title": "one more"})
    again = run.api.request("POST", f"{run.path}/alerts", {"title": "the last", "wait_s": 60})
    assert (again.status, again["repeats"]) == (200, 1)
    assert len(run.api.pages(f"{run.path}/alerts", limit=1000)) == 1000


# ---- the webhook of a project -----------------------------------------------------------------------

def test_the_webhook(api, run, home, db):
    path = f"{home}/webhook"
    api.refused(404, "not-found", "GET", path)
    put = api.put(path, {"url": "https://chat.example.org/hooks/a?b=c", "secret": SECRET}).json
    assert (put["url"], put["has_secret"]) == ("https://chat.example.org/hooks/a?b=c", True)
    assert api.get(path).json == put and SECRET not in api.get(path).text
    kept = db.value("select w::text from project_webhook w join project p using (project_id) where p.name = %s",
                    home.split("/")[5])
    assert SECRET not in kept and SECRET.encode().hex() not in kept
    assert api.put(path, {"url": "https://chat.example.org/other"}).json["has_secret"]
    assert not api.put(path, {"url": "https://chat.example.net/other"}).json["has_secret"]
    api.put(path, {"url": "https://chat.example.net/", "secret": SECRET})
    assert not api.put(path, {"url": "https://chat.example.net/", "secret": None}).json["has_secret"]
    api.delete(path)
    api.delete(path)
    api.refused(404, "not-found", "GET", path)


BAD_URLS = ["", "ftp://chat.example.org/", "file:///etc/passwd", "http://", "http:///path", "https://ann:pw@chat.example.org/",
            "https://chat.example.org/ä", "https://chat.example.org/a b", "http://chat.example.org\\@10.0.0.1/",
            "http://chat.example.org/#part", "gopher://127.0.0.1/", "https://chat.example.org/" + "x" * 2030]


@pytest.mark.parametrize("url", BAD_URLS)
def test_bad_addresses(api, run, home, url):
    api.refused(400, "invalid", "PUT", f"{home}/webhook", {"url": url})
    api.refused(404, "not-found", "GET", f"{home}/webhook")


@pytest.mark.parametrize("secret", ["x" * 15, "x" * 257])
def test_bad_secrets(api, run, home, secret):
    api.refused(400, "invalid", "PUT", f"{home}/webhook", {"url": "https://chat.example.org/", "secret": secret})


@pytest.mark.parametrize("host", ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "0.0.0.0",
                                  "[fe80::1]", "[fd00::1]"])
def test_addresses_that_are_not_allowed(api, run, home, host):
    answer = api.refused(403, "forbidden", "PUT", f"{home}/webhook", {"url": f"http://{host}/"})
    assert answer["field"] == "url" and "webhook_hosts" in answer["hint"]


# ---- sending ----------------------------------------------------------------------------------------

def test_an_alert_is_sent(run, hook, receiver, wait_for, server):
    before = alert(run, "before")
    hook(receiver.url + "?token=t0ken", secret=SECRET)
    run.join("proc-1", label="rank0")
    made = alert(run, text="2.5", level="warn", writer="proc-1")
    assert made["delivery"]["state"] == "waiting"
    wait_for(lambda: delivery(run, 2)["state"] == "sent")
    message, = receiver.messages
    assert message.path == "/hook?token=t0ken" and message.is_signed_with(SECRET)
    assert (message.headers["Cairn-Event"], message.headers["Content-Type"]) == ("alert", "application/json")
    sent = message.json
    assert {name: sent[name] for name in ("event", "entity", "run", "number", "title", "text", "level", "label", "user",
                                          "link")} == {
        "event": "alert", "entity": "ann", "run": "r1", "number": 2, "title": "loss is high", "text": "2.5",
        "level": "warn", "label": "rank0", "user": "ann", "link": None}
    assert sent["created_at"] == made["created_at"] <= sent["sent_at"]
    told = delivery(run, 2)
    assert (told["tries"], told["status"], told["fault"], told["next_at"]) == (1, 200, None, None)
    assert delivery(run)["state"] == "nowhere" and before["number"] == 1
    assert SECRET not in server.log() and "t0ken" not in server.log()


def test_without_a_secret_nothing_is_signed(run, hook, receiver, wait_for):
    hook(receiver.url)
    alert(run)
    wait_for(lambda: delivery(run)["state"] == "sent")
    assert receiver.messages[0].headers["Cairn-Signature"] is None


def test_repeats_are_not_sent(run, hook, receiver, wait_for):
    hook(receiver.url)
    for _ in range(3):
        run.api.post(f"{run.path}/alerts", {"title": "again"})
    alert(run, "the next")
    wait_for(lambda: [one["delivery"]["state"] for one in alerts(run)] == ["sent", "sent"])
    assert sorted(receiver.titles) == ["again", "the next"]


@pytest.mark.parametrize("answer, fault, status", [(503, "refused", 503), (404, "refused", 404), (DROP, "no-connection", None)])
def test_what_is_not_taken_is_sent_again(run, hook, receiver, wait_for, shift_clock, answer, fault, status):
    receiver.behave(answer)
    hook(receiver.url)
    alert(run)
    told = wait_for(lambda: delivery(run)["tries"] and delivery(run))
    assert (told["state"], told["fault"], told["status"]) == ("waiting", fault, status)
    assert told["next_at"] > told["tried_at"]
    receiver.behave(204)
    shift_clock(3600)
    wait_for(lambda: delivery(run)["state"] == "sent")
    told = delivery(run)
    assert (told["status"], told["fault"]) == (204, None)
    assert told["tries"] == len(receiver.messages) >= 2  # more where ten seconds went by
    assert len({message.name for message in receiver.messages}) == 1


def test_a_redirect_is_not_followed(run, hook, receiver, wait_for):
    with Receiver() as other:
        receiver.behave(307, location=other.url)
        hook(receiver.url)
        alert(run)
        wait_for(lambda: delivery(run)["fault"] == "redirect")
        assert delivery(run)["status"] == 307 and not other.messages


def test_nobody_is_there(run, hook, receiver, wait_for):
    with Receiver() as gone:
        pass
    hook(gone.url)
    alert(run)
    wait_for(lambda: delivery(run)["fault"] == "no-connection")
    hook(receiver.url)  # and at once to the new address
    wait_for(lambda: delivery(run)["state"] == "sent")


@contextlib.contextmanager
def instead(place, secret_file, run, **settings):
    """The run by way of a server with other settings, in the place of one that might be quicker."""
    with Server(place.db.url, secret_file, **settings) as server:
        while place.servers:
            place.servers.pop().__exit__()
        other = run.at(server)
        yield other
        other.api.close()


@pytest.mark.parametrize("host, fault", [("localhost", "address-not-allowed"), ("nobody.invalid", "no-such-host")])
def test_a_name_that_leads_to_this_machine(run, home, wait_for, place, secret_file, host, fault):
    """The address counts when it is connected to, not when the name is written. Whether there is such a name is not told."""
    with instead(place, secret_file, run, webhook_hosts="external") as other, Receiver() as receiver:
        other.api.put(f"{home}/webhook", {"url": receiver.url.replace("127.0.0.1", host)})
        alert(other)
        wait_for(lambda: delivery(other)["fault"] == "no-address")
        assert not receiver.messages
        assert f"fault={fault}" in other.api.server.log() and f"host={host}" in other.api.server.log()


def test_it_is_given_up_after_a_day(run, hook, receiver, wait_for, shift_clock):
    receiver.behave(500)
    hook(receiver.url)
    alert(run)
    wait_for(lambda: delivery(run)["tries"])
    shift_clock(24 * 3600 + 1)
    wait_for(lambda: delivery(run)["state"] == "given-up")
    told = delivery(run)
    assert (told["status"], told["next_at"]) == (500, None) and told["tries"] == len(receiver.messages) >= 2


def test_a_webhook_that_goes(run, api, home, hook, receiver, wait_for, shift_clock):
    receiver.behave(500)
    hook(receiver.url)
    alert(run)
    wait_for(lambda: delivery(run)["tries"])
    api.delete(f"{home}/webhook")
    sent = len(receiver.messages)
    shift_clock(3600)
    wait_for(lambda: delivery(run)["state"] == "given-up")
    assert delivery(run)["fault"] == "no-webhook" and len(receiver.messages) == sent


def test_a_hanging_webhook_holds_nobody(api, home, run, hook, receiver, wait_for):
    """Nor requests, nor what others want to be told."""
    receiver.behave(HANG)
    hook(receiver.url)
    alert(run)
    wait_for(lambda: receiver.messages)
    other = Run(api, project=f"{home}-other")
    with Receiver() as quick:
        api.put(f"{home}-other/webhook", {"url": quick.url})
        writer = other.join()
        for i in range(5):
            alert(other, f"no {i}")
            writer.send(history=[{"x": i}])
        wait_for(lambda: all(one["delivery"]["state"] == "sent" for one in alerts(other)))
        assert len(quick.messages) == 5 and delivery(run)["state"] == "waiting"
    receiver.behave(200)


def test_no_answer_in_time(run, home, receiver, wait_for, place, secret_file):
    receiver.behave(HANG)
    with instead(place, secret_file, run, webhook_hosts=LOCAL, webhook_timeout_s=2) as other:
        other.api.put(f"{home}/webhook", {"url": receiver.url})
        alert(other)
        told = wait_for(lambda: delivery(other)["tries"] and delivery(other))
        assert (told["state"], told["fault"], told["status"]) == ("waiting", "timeout", None)


@pytest.mark.own
def test_two_servers_send_each_once(two_servers, api, home, run, receiver, wait_for):
    first, second = two_servers
    api.put(f"{home}/webhook", {"url": receiver.url})
    runs = [Run(api, f"r{i}", project=home) for i in range(2, 6)]
    for i in range(4):
        for j, one in enumerate(runs):
            alert(one.at(two_servers[j % 2]), f"{one.name} {i}")
    wait_for(lambda: all(a["delivery"]["state"] == "sent" for one in runs for a in alerts(one)))
    names = [message.name for message in receiver.messages]
    assert len(names) == len(set(names)) == 16
    tries = 'cairn_alerts_tries_total{result="sent"}'
    wait_for(lambda: first.metric(tries) + second.metric(tries) == 16)  # counted once it is stored


@pytest.mark.own
def test_a_server_that_is_killed_while_it_sends(place, server, api, home, run, receiver, wait_for, shift_clock):
    receiver.behave(HANG, 200)
    api.put(f"{home}/webhook", {"url": receiver.url})
    alert(run)
    wait_for(lambda: receiver.messages)
    server.kill()
    other = run.at(place.server(1))
    alert(other, "the next")
    wait_for(lambda: delivery(other, 2)["state"] == "sent")
    assert delivery(other)["state"] == "waiting" and len(receiver.messages) == 2
    shift_clock(61)
    wait_for(lambda: delivery(other)["state"] == "sent")
    assert delivery(other)["tries"] == 2
    assert [message.name for message in receiver.messages].count(receiver.messages[0].name) == 2


@pytest.mark.own
def test_what_waits_survives_a_restart(place, server, api, home, run, receiver, wait_for, shift_clock):
    receiver.behave(503, 200)
    api.put(f"{home}/webhook", {"url": receiver.url, "secret": SECRET})
    alert(run)
    wait_for(lambda: delivery(run)["tries"])
    server.stop()
    place.servers.clear()
    other = run.at(place.server(0))
    shift_clock(11)
    wait_for(lambda: delivery(other)["state"] == "sent")
    assert receiver.messages[1].is_signed_with(SECRET)


def test_a_deleted_run_says_nothing_more(run, hook, receiver, wait_for, shift_clock, db):
    receiver.behave(500)
    hook(receiver.url)
    alert(run)
    wait_for(lambda: delivery(run)["tries"])
    run.api.delete(run.path)
    sent = len(receiver.messages)
    shift_clock(3600)
    wait_for(lambda: not db.value("select count(*) from alert_delivery d join project p using (project_id) "
                                  "where p.name = %s", run.path.split("/")[5]))
    run.api.post(f"{run.path}/restore")
    assert delivery(run)["fault"] == "deleted" and delivery(run)["state"] == "given-up"
    assert len(receiver.messages) == sent

"""What a request can cost at a large sweep, or at many: the answer is bounded, and the rest is asked for."""
import threading

from test_sweep_runs import Sweep

RANDOM = {"method": "random", "metric": {"name": "loss", "goal": "minimize"},
          "parameters": {"lr": {"min": 0.0, "max": 1.0}, "layers": {"min": 1, "max": 9}}}
NEW_MAX, SAMPLES_MAX, NUMBERS_MAX, MIB = 64, 5000, 1000000, 1 << 20


def test_one_heartbeat_gives_some_trials(api, home):
    """An agent with many free slots asks again for the others."""
    sweep = Sweep(api, home, RANDOM)
    agent = sweep.agent()
    given = []
    while len(given) < 150:
        beat = api.post(f"{agent}/heartbeat", {"runs": [c["run"] for c in given], "capacity": 150}).json["commands"]
        assert 1 <= len(beat) <= NEW_MAX and {c["type"] for c in beat} == {"run"}
        given += beat
    assert len(given) == 150
    assert len({c["run"] for c in given}) == len({c["params"]["lr"] for c in given}) == 150
    assert [c["trial"] for c in given] == list(range(1, 151))


def test_trials_of_one_heartbeat_are_those_of_several(api, home):
    """A search knows the trials that it made before in the same request."""
    def found(ask):
        sweep = Sweep(api, home, {**RANDOM, "method": "bayes", "seed": 7})
        for value in 3, 1, 2:
            trial = api.post(f"{sweep.path}/trials", {}).json["trial"]
            api.patch(f"{sweep.path}/trials/{trial}", {"state": "finished", "value": value})
        ask(sweep)
        return [t["params"] for t in sweep.trials().values()]

    def singly(sweep):
        for _ in range(5):
            api.post(f"{sweep.path}/trials", {})

    def together(sweep):
        agent, runs = sweep.agent(), []
        while len(runs) < 5:
            runs += [c["run"] for c in api.post(f"{agent}/heartbeat", {"runs": runs, "capacity": 5}).json["commands"]]

    trials = found(together)
    assert len(trials) == 8 and trials == found(singly)


def test_a_page_of_large_configs_is_short(api, home):
    """At most 4 MiB of configs, and one sweep; the cursor leads to the others."""
    large = "method: random\nparameters: {a: {min: 0.0, max: 1.0}}\n# " + "x" * (900 << 10)
    names = [api.post(f"{home}/sweeps", {"config": f"{large}{i}"}).json["id"] for i in range(5)]
    page = api.get(f"{home}/sweeps").json
    assert [s["id"] for s in page["items"]] == names[::-1] and page["next_cursor"] is None
    names.append(api.post(f"{home}/sweeps", {"config": f"{large}5"}).json["id"])
    page = api.get(f"{home}/sweeps").json
    assert [s["id"] for s in page["items"]] == names[:0:-1] and page["next_cursor"]
    assert [s["id"] for s in api.pages(f"{home}/sweeps")] == names[::-1]


def test_a_config_of_ten_megabytes(api, home):
    """Refused as a text, as an object, and in a dry run, and the reason is the size."""
    text = "method: random\nparameters: {a: {min: 0.0, max: 1.0}}\n# "
    for config in text + "x" * (10 * MIB), {**RANDOM, "description": "x" * (10 * MIB)}:
        for tail in "", "?dry_run=true":
            answer = api.request("POST", f"{home}/sweeps{tail}", {"config": config})
            assert answer.status == 413 and answer.json["type"].endswith("too-large"), answer
    for tail in "", "?dry_run=true":
        answer = api.request("POST", f"{home}/sweeps{tail}", {"config": text + "x" * (MIB - len(text) + 1)})
        assert answer.status == 400 and "longer than 1048576 bytes" in answer.text, answer
    assert api.post(f"{home}/sweeps", {"config": text + "x" * (MIB - len(text))}).json["id"]


def fill(db, sweep, count, params):
    db.query(f"""
        insert into sweep_trial (project_id, sweep_id, trial, run_name, source, tries, created_at, params, state, host, sent_count,
                                 lowest, highest, latest, steps)
        select s.project_id, s.sweep_id, i, 'r' || s.sweep_id || '.' || i, 1, 1, now(), {params}, 3, '', 1, i, i, i, 1
          from sweep s, generate_series(1, {count}) i where s.name = '{sweep.name}'""")


def test_importance_of_many_trials(api, home, db):
    """Of the newest trials, by their number, bytes and parameters; the answer says how many."""
    def used(sweep):
        return api.get(f"{sweep.path}/importance").json["trials"]

    params = "json_build_object('lr', i / 10000.0, 'layers', mod(i, 9))::text"
    few, many, large, wide = (Sweep(api, home, RANDOM), Sweep(api, home, {**RANDOM, "seed": 1}), Sweep(api, home, {**RANDOM, "seed": 2}),
                              Sweep(api, home, {**RANDOM, "parameters": {f"p{i}": {"min": 0.0, "max": 1.0} for i in range(400)}}))
    fill(db, few, SAMPLES_MAX, params)
    fill(db, many, SAMPLES_MAX + 1, params)
    fill(db, large, 200, f"json_build_object('lr', 0.5, 'x', repeat('x', {60 << 10}))::text")
    fill(db, wide, 3000, "'{\"p1\": 0.5}'")
    assert used(few) == used(many) == SAMPLES_MAX
    assert used(large) == 8 * MIB // ((60 << 10) + len('{"lr" : 0.5, "x" : ""}'))
    assert used(wide) == NUMBERS_MAX // 400


def test_a_report_counts_once(api, home, db):
    """A trial that has ended takes the same report again, which counts nothing, and no other one. A lost one takes its end."""
    def refused(report, text):
        answer = api.request("PATCH", path, report)
        assert answer.status == 409 and text in answer.text

    sweep = Sweep(api, home, RANDOM)
    sweep.agent("host1")
    trial = api.post(f"{sweep.path}/trials", {"host": "host1"}).json["trial"]
    path = f"{sweep.path}/trials/{trial}"
    for _ in range(2):
        assert api.patch(path, {"state": "failed"}).json["state"] == "failed"
    agent, = api.pages(f"{sweep.path}/agents")
    assert agent["failed_in_row"] == 1
    refused({"state": "running"}, "has ended")
    assert sweep.states() == ["failed"]

    path = f"{sweep.path}/trials/{api.post(f'{sweep.path}/trials', {}).json['trial']}"
    api.patch(path, {"value": 3})
    for _ in range(2):
        trial = api.patch(path, {"state": "finished", "value": 2}).json
        assert (trial["value"], trial["latest"], trial["steps"]) == (2, 2, 2)
    refused({"value": 1}, "has ended")

    path = f"{sweep.path}/trials/{api.post(f'{sweep.path}/trials', {}).json['trial']}"
    db.query("update sweep_trial set state = 7, row_sum = null where trial = 3")
    refused({"state": "running"}, "was lost")
    refused({"value": 1}, "was lost")
    assert api.patch(path, {"state": "finished", "value": 1}).json["value"] == 1


def test_a_slow_sweep_does_not_stop_others(api, home, db, wait_for):
    """Requests that wait for one sweep have half of the places; the next one is told to come again. An agent leaves all the same."""
    slow, other = Sweep(api, home, RANDOM), Sweep(api, home, {**RANDOM, "seed": 1})
    agent, trial, answers = slow.agent(), api.post(f"{slow.path}/trials", {}).json["trial"], []
    asked = [("POST", f"{slow.path}/trials", {}), ("PATCH", f"{slow.path}/trials/{trial}", {"value": 1}),
             ("PATCH", slow.path, {"description": "x"}), ("PATCH", agent, {"set_aside": False})]

    def ask(request):
        answers.append((request, api.request(*request)))

    def refused():
        return [request for request, answer in answers if answer.status == 503 and "too many requests" in answer.text]

    waiting = [threading.Thread(target=ask, args=(request,)) for request in asked * 4]
    with db.hold(f"select from sweep where name = '{slow.name}' for update"):
        for thread in waiting:
            thread.start()
        wait_for(lambda: all(request in refused() for request in asked), what="requests of each kind that are refused")
        assert api.post(f"{agent}/heartbeat", {"runs": []}).json == {"commands": [], "busy": True}
        assert api.delete(agent).status == 204
        assert api.post(f"{other.path}/trials", {}).json["trial"] == 1
        assert api.post(f"{other.agent()}/heartbeat", {"runs": []}).json.keys() == {"commands"}
    for thread in waiting:
        thread.join()
    assert {answer.status for _, answer in answers} <= {200, 201, 503}
    assert {answer.headers["Retry-After"] for _, answer in answers if answer.status == 503} == {"1"}
    assert [a["state"] for a in api.pages(f"{slow.path}/agents")] == ["finished"]

"""What the server tells of a finished training, printed, and every claim in it checked."""
import collections

from draw import curve, table


class Show:
    def __init__(self, rest, run, steps, ranks, victim):
        self.rest = rest
        self.path = run
        self.steps = steps
        self.ranks = [f"rank{i}" for i in range(ranks)]
        self.victim = victim
        self.labels = {*self.ranks, "eval"}
        self.rows = self.event_rows = None
        self.wrong = []

    def claim(self, is_true, otherwise):
        if not is_true:
            self.wrong.append(otherwise)

    def head(self, title, request):
        print(f"\n{title}    GET {request}")

    def all(self):
        print("\nThe training has ended. The server has stored:")
        for part in (self.show_run, self.show_writers, self.show_states, self.show_summary,
                     self.show_curve, self.show_rows, self.show_console, self.show_system):
            try:
                part()
            except (KeyError, IndexError, TypeError, ValueError) as error:
                self.claim(False, f"{part.__name__}: the answer has another form: {error!r}")
        if self.wrong:
            print("\nFailed checks:\n" + "\n".join("  - " + line for line in self.wrong))
        else:
            print("\nEverything above was read back from the server and checked.")

    def show_run(self):
        run = self.rest.get(self.path)
        self.head("run", "…" + self.path[self.path.rindex("/"):])
        for key in ("id", "state", "exit_code", "rows", "event_rows", "last_step", "started_at", "ended_at"):
            print(f"  {key:11} {run[key]}")
        self.claim(run["state"] == "finished", f"the run is {run['state']}")
        self.claim(run["exit_code"] == 0, f"the exit code is {run['exit_code']}")
        self.claim(run["last_step"] == self.steps, f"the last step is {run['last_step']}")
        self.rows, self.event_rows = run["rows"], run["event_rows"]

    def show_writers(self):
        self.head("writers", "…/writers")
        writers = sorted(self.rest.get(self.path + "/writers")["items"], key=lambda w: w["label"])
        print("\n".join(table(
            ["label", "role", "state", "last heard", "rows", "events", "console", "dropped"],
            [[w["label"], w["role"], w["state"], w["heard_at"][11:23], w["history_rows"], w["event_rows"],
              w["console_lines"], w["dropped_rows"]] for w in writers])))
        self.claim({w["label"] for w in writers} == self.labels and len(writers) == len(self.labels),
                   "other writers than the five processes")
        self.claim(sum(w["history_rows"] for w in writers) == self.rows,
                   "the writers' rows are not the run's")
        self.claim(sum(w["event_rows"] for w in writers) == self.event_rows,
                   "the writers' events are not the run's")
        for w in writers:
            wanted = "lost" if w["label"] == self.victim else "ended"
            self.claim(w["state"] == wanted, f"{w['label']} is {w['state']}, not {wanted}")
            self.claim(w["dropped_rows"] == 0, f"{w['label']} dropped {w['dropped_rows']} rows")
            role = "primary" if w["label"] == "rank0" else "worker"
            self.claim(w["role"] == role, f"{w['label']} is a {w['role']}, not a {role}")

    def show_states(self):
        self.head("states", "…/states")
        states = self.rest.get(self.path + "/states")["items"]
        print("\n".join(table(["at", "from", "to", "who", "reason"],
                              [[s["at"][11:23], s["from"] or "-", s["to"], s["label"] or s["who"], s["reason"]]
                               for s in states])))
        self.claim([s["to"] for s in states] == ["running", "finished"],
                   "the states are not running, finished")
        self.claim(states[-1]["label"] == "rank0", "the run was not ended by rank0")

    def show_summary(self):
        self.head("summary", "…/summary")
        summary = self.rest.get(self.path + "/summary")
        for key in ("loss", "accuracy", "grad_norm", "lr", "test/accuracy", "test/accuracy_best"):
            value = summary.get(key)
            print(f"  {key:19} {'missing' if value is None else format(value, '.6g')}")
            self.claim(value is not None, f"the summary has no {key}")
        config = self.rest.get(self.path + "/config")
        print("  config: " + ", ".join(f"{k} {config.get(k)}" for k in ("world_size", "epochs", "batch", "rate",
                                                                         "schedule", "seed")))
        self.claim(summary.get("test/accuracy", 0) > 0.9, "the test accuracy is not above 0.9")
        self.claim(summary.get("loss", 9) < 0.2, "the loss is not below 0.2")
        self.claim(set(config.get("ranks", {})) == set(self.ranks),
                   "config is not merged of what the four ranks sent")

    def show_curve(self):
        self.head("loss", "…/history?keys=loss&buckets=64")
        series = self.rest.get(self.path + "/history", keys="loss", buckets=64)["series"]
        buckets = [b for s in series for b in s["buckets"] if b["n"]]
        self.claim(sum(b["n"] for b in buckets) == self.steps, "the curve has not all steps")
        if buckets:
            print("\n".join(curve(buckets)))

    def show_rows(self):
        """Every row that was logged is there, once."""
        self.head("rows", "…/history?format=ndjson")
        steps = collections.defaultdict(list)
        loss = []
        for row in self.rest.rows(self.path + "/history"):
            if "rank/step_time_ms" in row:
                steps[row["_label"]].append(row["_step"])
            if "loss" in row:
                loss.append(row["_step"])
        for label in self.ranks:
            print(f"  {label}: {len(steps[label])} rows of rank/step_time_ms, up to step "
                  f"{max(steps[label], default=0)}")
            last = self.steps if label != self.victim else len(steps[label])
            self.claim(steps[label] == list(range(1, last + 1)), f"rows of {label} are missing or doubled")
        print(f"  loss: {len(loss)} rows, one for each step")
        self.claim(loss == list(range(1, self.steps + 1)), "rows of loss are missing or doubled")
        self.claim(0 < len(steps[self.victim]) < self.steps, f"{self.victim} was not killed on the way")

    def show_console(self):
        for label in sorted(self.labels):
            items = self.rest.get(self.path + "/console", label=label, tail=2)["items"]
            self.head(f"console of {label}", f"…/console?label={label}&tail=2")
            print("\n".join(f"  {i['stream'][3:]} {i['line']:3} │ {i['text']}" for i in items))
            self.claim(bool(items), f"no console of {label}")
        lines = self.rest.get(self.path + "/console", label="rank0", limit=1000)["items"]
        gone = f"{self.victim.replace('rank', 'rank ')} is gone"
        self.claim(any(gone in i["text"] for i in lines), f"rank0 did not tell that {gone}")
        for line in [i for i in lines if gone in i["text"]]:
            print(f"  and before: {line['stream'][3:]} {line['line']} │ {line['text']}")

    def show_system(self):
        wanted = ["cpu", "proc.memory.rssMB", "memory_percent", "disk./.usagePercent", "network.recv"]
        keys = {k["key"] for k in self.rest.get(self.path + "/keys", stream="events")["items"]}
        chosen = [k for k in wanted if k in keys] or sorted(keys)[:4]
        if not chosen:
            return self.claim(False, "no system metrics")
        self.head("system metrics", f"…/events?keys={','.join(chosen)}&split=writer")
        series = self.rest.get(self.path + "/events", keys=",".join(chosen), split="writer",
                               buckets=1)["series"]
        rows = collections.defaultdict(dict)
        for s in series:
            if s["buckets"]:
                b = s["buckets"][0]
                rows[s["label"]][s["key"]] = f"{b['mean']:.2f} ({b['n']})"
        print("\n".join(table(["mean (samples)", *chosen],
                              [[label, *(row.get(k, "-") for k in chosen)] for label, row in sorted(rows.items())])))
        self.claim(len(chosen) == len(wanted), f"system metrics are missing: {set(wanted) - keys}")
        self.claim(set(rows) == self.labels, "not every process has system metrics")

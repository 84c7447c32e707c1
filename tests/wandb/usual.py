"""Programs as users write them; the recorder runs them all with each SDK.

Each is a function on its own (client.py runs its source text elsewhere), so each imports what it needs.
"""


def login():
    import wandb
    return wandb.login(verify=True)


def train(name="plain1", mode="online"):
    """One run with most of what a run can have."""
    import sys

    import wandb
    settings = wandb.Settings(mode=mode)
    run = wandb.init(project="digits", id=name, config={"lr": 0.1, "net": {"depth": 3}}, tags=["a", "b"],
                     notes="first", group="g", job_type="train", settings=settings)
    run.define_metric("epoch")
    run.define_metric("val/*", step_metric="epoch", summary="max")
    run.define_metric("loss", summary="min")
    for step in range(4):
        run.log({"epoch": step, "loss": 1 / (step + 1), "val/acc": step / 4, "nest": {"x": step},
                 "nan": float("nan"), "inf": float("inf"), "word": "sieben", "list": [1, 2]})
    print("a line")
    print("a complaint", file=sys.stderr)
    run.config["later"] = 5
    run.config.update({"lr": 0.2}, allow_val_change=True)
    run.summary["best"] = 7
    run.summary["deep"] = {"a": {"b": 1}}
    run.tags += ("c",)
    if mode == "online":
        run.alert(title="high", text="too high", level=wandb.AlertLevel.WARN, wait_duration=60)
    run.finish()


def media(name="media1"):
    import pathlib

    import numpy
    import wandb
    with wandb.init(project="digits", id=name) as run:
        pathlib.Path("notes with space.txt").write_text("kept")
        run.save("notes with space.txt", policy="now")
        run.save("notes with space.txt", policy="end")
        pixels = numpy.arange(300, dtype=numpy.uint8).reshape(10, 10, 3)
        box = {"position": {"minX": 0, "maxX": 0.5, "minY": 0, "maxY": 0.5}, "class_id": 1, "box_caption": "b"}
        image = wandb.Image(pixels, caption="pixels",
                            boxes={"guess": {"box_data": [box], "class_labels": {1: "one"}}},
                            masks={"truth": {"mask_data": pixels[:, :, 0] % 2, "class_labels": {1: "one"}}})
        run.log({"image": image, "images": [wandb.Image(pixels), wandb.Image(pixels)]})
        run.log({"histogram": wandb.Histogram([1, 2, 2, 3]), "page": wandb.Html("<b>bold</b>")})
        run.log({"points": wandb.Object3D(numpy.ones((4, 3)))})
        pathlib.Path("m.pdb").write_text("HEADER\n")
        run.log({"molecule": wandb.Molecule("m.pdb")})


def shared(name="shared1", primary=True, label="rank0"):
    import wandb
    settings = wandb.Settings(mode="shared", x_label=label, x_primary=primary, x_update_finish_state=primary)
    run = wandb.init(project="digits", id=name, config={label: 1}, settings=settings)
    for value in range(3):
        run.log({"value": value, label: value})
    print("from", label)
    run.summary[f"{label}/best"] = 3
    run.finish()


def resume(name="plain1", how="must"):
    import wandb
    with wandb.init(project="digits", id=name, resume=how) as run:
        run.log({"loss": 0.01})
        return run.starting_step


def rewind(name="plain1"):
    import wandb
    with wandb.init(project="digits", resume_from=f"{name}?_step=1") as run:
        run.log({"loss": 0.02})


def fork(name="plain1"):
    import wandb
    with wandb.init(project="digits", fork_from=f"{name}?_step=1") as run:
        run.log({"loss": 0.03})


def public(name="plain1"):
    """The public API, every call for itself: what one of them says is no other's business."""
    import wandb
    api = wandb.Api()
    said = {}

    def attempt(what, call):
        try:
            call()
            said[what] = "good"
        except Exception as e:  # noqa: BLE001
            said[what] = f"{type(e).__name__}: {e}"[:300]
    path = f"ann/digits/{name}"
    attempt("viewer", lambda: api.viewer.username)
    attempt("default_entity", lambda: api.default_entity)
    attempt("projects", lambda: list(api.projects("ann")))
    attempt("project", lambda: api.project("digits", entity="ann").id)
    attempt("runs", lambda: [r.name for r in api.runs("ann/digits", filters={"config.lr": 0.2}, order="-created_at")])
    attempt("runs_full", lambda: [(r.config, r.summary, r.metadata) for r in api.runs("ann/digits", lazy=False)])
    attempt("len_runs", lambda: len(api.runs("ann/digits")))
    attempt("run", lambda: api.run(path).state)
    attempt("run_heavy", lambda: (api.run(path).config, dict(api.run(path).summary), api.run(path).system_metrics))
    attempt("history", lambda: api.run(path).history(pandas=False))
    attempt("history_keys", lambda: api.run(path).history(keys=["loss"], pandas=False))
    attempt("history_system", lambda: api.run(path).history(stream="system", pandas=False))
    attempt("scan", lambda: list(api.run(path).scan_history()))
    attempt("scan_keys", lambda: list(api.run(path).scan_history(keys=["loss", "_step"])))
    attempt("beta_scan", lambda: list(api.run(path).beta_scan_history()))
    attempt("files", lambda: [f.name for f in api.run(path).files()])
    attempt("files_pattern", lambda: [f.name for f in api.run(path).files(pattern="%.txt")])
    attempt("file", lambda: api.run(path).file("wandb-metadata.json").download(replace=True))
    attempt("upload", lambda: api.run(path).upload_file(__file__))
    attempt("delete_file", lambda: api.run(path).file("config.yaml").delete())
    attempt("console", lambda: list(api.run(path).console_logs()))
    attempt("logged_artifacts", lambda: list(api.run(path).logged_artifacts()))
    attempt("used_artifacts", lambda: list(api.run(path).used_artifacts()))
    attempt("last_step", lambda: api.run(path).lastHistoryStep)
    attempt("stop", lambda: api.run(path).stop())
    attempt("state", lambda: api.run(path).update_state("pending"))
    attempt("wait", lambda: api.run(path).wait_until_finished())

    def edit():
        run = api.run(path)
        run.tags.append("edited")
        run.config["edited"] = 1
        run.notes = "edited"
        run.update()
        run.summary["edited"] = 2
        run.summary.update()
    attempt("edit", edit)
    attempt("rename", lambda: setattr(api.run(path), "display_name", "new") or api.run(path).update())
    attempt("create_run", lambda: api.create_run(run_id="made1", project="digits", entity="ann", state="pending"))
    attempt("create_project", lambda: api.create_project("digits2", "ann"))
    attempt("users", lambda: api.users("ann"))
    attempt("user", lambda: api.user("ann"))
    attempt("team", lambda: api.team("ann"))
    attempt("sweeps", lambda: list(api.project("digits", entity="ann").sweeps()))
    attempt("sweep", lambda: api.sweep("ann/digits/s1"))
    attempt("artifact_types", lambda: list(api.artifact_types("digits")))
    attempt("artifact", lambda: api.artifact("ann/digits/data:latest"))
    attempt("artifact_exists", lambda: api.artifact_exists("ann/digits/data:latest"))
    attempt("run_queue", lambda: api.run_queue("ann", "q").id)
    attempt("reports", lambda: list(api.reports("ann/digits")))
    attempt("delete_project", lambda: api.project("digits2", entity="ann").delete())
    attempt("delete", lambda: api.run(path).delete())
    return said


def missing(name="missing1"):
    """What artifacts and sweeps need; each must fail alone."""
    import pathlib

    import wandb
    said = {}

    def attempt(what, call):
        try:
            call()
            said[what] = "good"
        except Exception as e:  # noqa: BLE001
            said[what] = f"{type(e).__name__}: {e}"[:300]
    with wandb.init(project="digits", id=name) as run:
        run.log({"before": 1})
        attempt("table", lambda: run.log({"table": wandb.Table(columns=["a"], data=[[1]])}))
        pathlib.Path("data.txt").write_text("data")
        artifact = wandb.Artifact("data", type="dataset")
        artifact.add_file("data.txt")
        attempt("log_artifact", lambda: run.log_artifact(artifact).wait(timeout=20))
        attempt("use_artifact", lambda: run.use_artifact("data:latest"))
        attempt("link_artifact", lambda: run.link_artifact(artifact, "portfolio/x"))
        attempt("plot", lambda: run.log({"pr": wandb.plot.line(
            wandb.Table(columns=["x", "y"], data=[[1, 2]]), "x", "y")}))
        attempt("log_code", lambda: run.log_code("."))
        run.log({"after": 2})
    config = {"method": "grid", "parameters": {"x": {"values": [1]}}}
    attempt("sweep", lambda: wandb.sweep(config, project="digits", entity="ann"))
    attempt("agent", lambda: wandb.agent("ann/digits/s1", function=print, count=1))
    return said

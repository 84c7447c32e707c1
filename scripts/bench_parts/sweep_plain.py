"""The next trial of a sweep by the public controller (PyPI: sweeps), for TPE by Optuna: reads one job as JSON from standard
input and prints milliseconds of the processor, a line for each repetition, of which long ones are fewer. Run by sweep.py in an environment of its own."""
import json
import sys
import time
import warnings

ENOUGH_S = 60  # of the processor, after which a suggestion is not repeated


def controller(job):
    import sweeps

    runs = [sweeps.SweepRun(name=f"r{i}", state="finished", config={name: {"value": v} for name, v in params.items()},
                            summaryMetrics={"value": value}, sampledHistory=[{"value": value}])
            for i, (params, value) in enumerate(job["trials"])]
    return lambda: sweeps.next_run(job["config"], runs)


def distribution(parameter):
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if "values" in parameter:
        return CategoricalDistribution(parameter["values"])
    low, high = parameter["min"], parameter["max"]
    if parameter["distribution"] == "int_uniform":
        return IntDistribution(low, high)
    return FloatDistribution(low, high, log=parameter["distribution"] == "log_uniform_values")


def optuna_tpe(job):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {name: distribution(p) for name, p in job["config"]["parameters"].items()}
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.add_trials([optuna.trial.create_trial(params=params, distributions=space, value=value)
                      for params, value in job["trials"]])
    study.ask(space)  # its cache of the search space is made once
    return lambda: study.ask(space)


def main():
    warnings.simplefilter("ignore")
    job = json.load(sys.stdin)
    suggest = (optuna_tpe if job["config"]["method"] == "tpe" else controller)(job)
    for _ in range(job["repeat"]):
        began = time.process_time()
        suggest()
        print((time.process_time() - began) * 1e3, flush=True)
        if time.process_time() > ENOUGH_S:
            break


if __name__ == "__main__":
    main()

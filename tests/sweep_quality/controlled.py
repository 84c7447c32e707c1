"""Points by the public controller of W&B (PyPI: sweeps): reads [config, count] as JSON, and prints a point a line. With a grid
count is a limit."""
import json
import sys
import warnings

warnings.simplefilter("ignore")


def main():
    import numpy
    import sweeps

    numpy.random.seed(1)
    config, count = json.load(sys.stdin)
    if config["method"] == "grid":  # one by one, as agents ask
        found = []
        while len(found) < count and (run := sweeps.next_run(config, found)):
            found.append(run)
    else:
        found = sweeps.next_runs(config, [], n=count)
    for run in found:
        print(json.dumps({name: part["value"] for name, part in run.config.items()}, default=lambda value: value.item()))


if __name__ == "__main__":
    main()

"""Functions that searches are judged by: each a space as a sweep's config describes it, and a value to minimise."""
import math
import zlib

HARTMANN_A = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
HARTMANN_P = ((1312, 1696, 5569, 124, 8283, 5886), (2329, 4135, 8307, 3736, 1004, 9991),
              (2348, 1451, 3522, 2883, 3047, 6650), (4047, 8828, 8732, 5743, 1091, 381))
HARTMANN_C = (1.0, 1.2, 3.0, 3.2)


def uniform(low, high):
    return {"distribution": "uniform", "min": low, "max": high}


def logarithmic(low, high):
    return {"distribution": "log_uniform_values", "min": low, "max": high}


def whole(low, high):
    return {"distribution": "int_uniform", "min": low, "max": high}


def steps(low, high, q):
    return {"distribution": "q_uniform", "min": low, "max": high, "q": q}


def choice(*values):
    return {"values": list(values)}


def branin(p):
    x, y = p["x"], p["y"]
    return ((y - 5.1 / (4 * math.pi ** 2) * x * x + 5 / math.pi * x - 6) ** 2
            + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10)


def hartmann(p):
    x = [p[f"x{i}"] for i in range(6)]
    return -sum(c * math.exp(-sum(a * (v - q / 1e4) ** 2 for a, v, q in zip(row, x, place)))
                for c, row, place in zip(HARTMANN_C, HARTMANN_A, HARTMANN_P))


def rosenbrock(p):
    x = [p[f"x{i}"] for i in range(4)]
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def ackley(p):
    x = [p[f"x{i}"] for i in range(5)]
    return (20 + math.e - 20 * math.exp(-0.2 * math.sqrt(sum(v * v for v in x) / 5))
            - math.exp(sum(math.cos(2 * math.pi * v) for v in x) / 5))


def sphere(p):
    return sum((p[f"x{i}"] - 0.3 * i) ** 2 for i in range(3))


def training(p):
    """Like the error of a small network: a valley in the learning rate that moves with the batch size."""
    lr = math.log10(p["lr"]) + 2.5 - 0.3 * math.log2(p["batch"] / 64)
    decay = math.log10(p["decay"]) + 4
    shape = {"relu": 0.0, "tanh": 0.08, "sigmoid": 0.25}[p["activation"]]
    return 0.1 + 0.12 * lr * lr + 0.02 * decay * decay + shape + 0.03 * abs(p["layers"] - 4) + 0.3 * (p["dropout"] - 0.2) ** 2


def categories(p):
    """Every value has a cost of its own, and pairs of them another; the order of values says nothing."""
    def cost(*words):
        return zlib.crc32(" ".join(map(str, words)).encode()) / 2 ** 32

    names = sorted(p)
    return (sum(cost(name, p[name]) for name in names)
            + 0.5 * sum(cost(a, p[a], b, p[b]) for a, b in zip(names, names[1:])))


def conditional(p):
    """The kind of model decides which parameters there are."""
    if p["model"] == "tree":
        return 0.3 + 0.02 * abs(p["depth"] - 7) + 0.1 * (p["leaf"] - 0.3) ** 2
    if p["model"] == "linear":
        return 0.35 + 0.05 * (math.log10(p["penalty"]) + 2) ** 2
    value = 0.2 + 0.08 * (math.log10(p["lr"]) + 3) ** 2 + 0.1 * (p["width"] / 256 - 0.6) ** 2
    return value + (0.2 * (p["momentum"] - 0.85) ** 2 if p["optimizer"] == "sgd" else 0.03)


def integers(p):
    return (0.02 * (p["a"] - 13) ** 2 + 0.001 * (p["b"] - 70) ** 2 + 2 * abs(p["c"] - 0.35) + 0.05 * abs(p["d"] - 3)
            + 0.01 * (p["a"] - 13) * (p["b"] - 70) / 10)


def scales(p):
    """Eight parameters over decades, of which three matter."""
    x = [math.log10(p[f"x{i}"]) for i in range(8)]
    return (x[0] + 3) ** 2 + 0.5 * (x[1] + 1 - 0.5 * x[0]) ** 2 + 0.25 * (x[2] + 2) ** 2 + 0.01 * sum(abs(v + 2.5) for v in x[3:])


def times(names, parameter):
    return {name: parameter for name in names}


def numbered(count, parameter):
    return times([f"x{i}" for i in range(count)], parameter)


# name: (parameters, value, standard deviation of the noise on it)
FUNCTIONS = {
    "branin": ({"x": uniform(-5.0, 10.0), "y": uniform(0.0, 15.0)}, branin, 0),
    "hartmann6": (numbered(6, uniform(0.0, 1.0)), hartmann, 0),
    "rosenbrock4": (numbered(4, uniform(-2.0, 2.0)), rosenbrock, 0),
    "ackley5": (numbered(5, uniform(-10.0, 20.0)), ackley, 0),
    "noisy-sphere3": (numbered(3, uniform(-2.0, 2.0)), sphere, 0.5),
    "training": ({"lr": logarithmic(1e-5, 1.0), "decay": logarithmic(1e-7, 0.1), "batch": choice(16, 32, 64, 128, 256),
                  "activation": choice("sigmoid", "relu", "tanh"), "layers": whole(1, 8),
                  "dropout": uniform(0.0, 0.7)}, training, 0.01),
    "categories": (times("abcde", choice("red", "green", "blue", "white", "black")), categories, 0),
    "conditional": ({"model": choice("tree", "linear", "network"),
                     "depth": {**whole(1, 20), "when": {"model": ["tree"]}},
                     "leaf": {**uniform(0.0, 1.0), "when": {"model": ["tree"]}},
                     "penalty": {**logarithmic(1e-6, 10.0), "when": {"model": ["linear"]}},
                     "lr": {**logarithmic(1e-6, 1.0), "when": {"model": ["network"]}},
                     "width": {**whole(16, 512), "when": {"model": ["network"]}},
                     "optimizer": {**choice("adam", "sgd"), "when": {"model": ["network"]}},
                     "momentum": {**uniform(0.0, 1.0), "when": {"optimizer": ["sgd"]}}}, conditional, 0),
    "integers": ({"a": whole(0, 50), "b": whole(1, 200), "c": steps(0.0, 1.0, 0.05), "d": whole(1, 12)}, integers, 0),
    "scales8": (numbered(8, logarithmic(1e-6, 1.0)), scales, 0),
}

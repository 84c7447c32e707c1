"""The newest wandb SDK, for suites that run one training with it."""
import importlib.util
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parent / "wandb/sdk.py"


def python():
    """Its Python. The environment is made first if it is not there, or was left half made."""
    spec = importlib.util.spec_from_file_location("sdk", SOURCE)
    sdk = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sdk)
    return sdk.environment(sdk.NEWEST) / "bin/python3"

"""Log runs to a Cairn server, and read them back.

    import cairn

    with cairn.init(project="digits", config={"lr": 0.01}) as run:
        for step in range(100):
            run.log({"loss": 1 / (step + 1)})

    for run in cairn.Api().runs("digits", filters="state:finished", order="-summary.loss"):
        print(run.id, run.summary["loss"])
"""
from typing import Any, Optional

from ._errors import AccessError, ApiError, CairnWarning, Error, NotFoundError, SetupError, UnreachableError
from ._api import Api
from ._artifacts import Artifact
from ._lib import library
from ._media import Histogram, Image
from ._init import current, finish, init, log
from ._report import Report
from ._run import Run
from ._sweep import Sweep, SweepTrial, sweep
from ._agent import agent

__version__: str
"""The version of the package."""

run: Optional[Run]
"""The newest run that is not finished, or None."""


def __getattr__(name: str) -> Any:
    if name == "run":
        return current()
    if name == "__version__":
        return library().text_of(library().version)
    raise AttributeError(f"module 'cairn' has no attribute {name!r}")


__all__ = ["AccessError", "Api", "ApiError", "Artifact", "CairnWarning", "Error", "Histogram", "Image", "NotFoundError", "Report", "Run", "SetupError", "Sweep", "SweepTrial", "UnreachableError",
           "agent", "finish", "init", "log", "run", "sweep"]

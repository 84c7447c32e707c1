"""Config and summary of a run, as mappings."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, Mapping, MutableMapping, Optional

from ._values import document_json, name_text

Send = Callable[[str, Any], None]


def members_of(values: Any) -> Dict[str, Any]:
    """The members of a mapping, of argparse.Namespace, of a dataclass, or of None."""
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return dict(values)
    if hasattr(values, "__dataclass_fields__"):
        return {name: getattr(values, name) for name in values.__dataclass_fields__}
    if hasattr(values, "__dict__"):
        return dict(vars(values))
    raise TypeError(f"expected a dict, argparse.Namespace or dataclass, not {type(values).__name__}")


class Document(MutableMapping[str, Any]):
    """Sends each member that is set. Members are read back as they were set here, not from the server.

    `config.lr = 0.1` is the same as `config["lr"] = 0.1`. A nested dict is sent again when it is assigned, not when
    it is changed in place.
    """

    _members: Dict[str, Any]
    _send: Send

    def __init__(self, send: Send) -> None:
        object.__setattr__(self, "_members", {})
        object.__setattr__(self, "_send", send)

    def __setitem__(self, name: str, value: Any) -> None:
        name = name_text(name)
        self._members[name] = value
        self._send(name, document_json(value))

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __delitem__(self, name: str) -> None:
        raise TypeError("a member cannot be deleted: set it to None")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._members[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __repr__(self) -> str:
        return repr(self._members)

    def update(self, values: Any = None, /, **more: Any) -> None:
        """Sets members from a dict, argparse.Namespace or dataclass, and from keywords."""
        for name, value in {**members_of(values), **more}.items():
            self[name] = value

    def setdefaults(self, values: Optional[Mapping[str, Any]] = None, /, **more: Any) -> None:
        """Sets members that are not set yet."""
        for name, value in {**members_of(values), **more}.items():
            if name not in self._members:
                self[name] = value

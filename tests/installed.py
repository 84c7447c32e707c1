"""The programs as they are installed: found by a shell, and a C program compiles against the library."""
import os
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("CAIRN_BUILD", TOP / "build/dev"))


def script(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def install(folder):
    """Installs below the folder; the variables of a shell that finds it all."""
    prefix = folder / "prefix"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
    [pc] = prefix.glob("lib/**/pkgconfig")
    flags = re.search(r"^CAIRN_SANITIZE:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M).group(1)
    script(folder / "bin/pkg-config", f'exec /usr/bin/pkg-config --define-variable=prefix={prefix} "$@"')
    script(folder / "bin/cc", f'exec /usr/bin/cc "$@" {"-fsanitize=" + flags if flags else ""}')
    return {"PATH": f"{folder}/bin:{prefix}/bin:{prefix}/sbin:{os.environ['PATH']}", "HOME": str(folder),
            "PKG_CONFIG_PATH": str(pc), "LD_LIBRARY_PATH": str(pc.parent)}

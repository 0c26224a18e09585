"""`make fleet`: a real collector, a Prometheus and both engines of SQL; says what cannot be had.

The collector is compiled by its own builder through Go's module proxy, once, which takes ten
minutes; Prometheus is Debian's package, taken apart and not installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("LACONIC_FLEET_CACHE") or Path.home() / ".cache/laconic-fleet")
COLLECTOR = CACHE / "otelcol/otelcol-laconic"
PROMETHEUS = CACHE / "prometheus/usr/bin/prometheus"
BUILDER = "go.opentelemetry.io/collector/cmd/builder@v0.149.0"


def main() -> int:
    CACHE.mkdir(parents=True, exist_ok=True)
    lacking = [
        name
        for name, path, fetch in (
            ("the collector", COLLECTOR, compile_collector),
            ("Prometheus", PROMETHEUS, fetch_prometheus),
        )
        if not path.exists() and not fetch()
    ]
    if lacking:
        print(f"fleet: not run, cannot be had here: {', '.join(lacking)}", file=sys.stderr)
        return 1
    os.environ["LACONIC_TEST_COLLECTOR"] = str(COLLECTOR)
    os.environ["LACONIC_TEST_PROMETHEUS"] = str(PROMETHEUS)
    tests = [str(HERE / "end_to_end.py"), str(HERE.parent / "export")]
    return pytest.main([*tests, "-p", "no:cacheprovider", "--tb=short", "-q", "-s", *sys.argv[1:]])


def compile_collector() -> bool:
    if not shutil.which("go"):
        return False
    print("fleet: compiling a collector, once", flush=True)
    environ = {**os.environ, "GOPATH": str(CACHE / "go"), "GOBIN": str(CACHE / "bin")}
    environ["GOFLAGS"] = "-modcacherw"
    recipe = HERE / "builder.yaml"
    steps = (
        ["go", "install", BUILDER],
        [CACHE / "bin/builder", "--config", recipe],
    )
    return all(run(step, environ) for step in steps) and COLLECTOR.exists()


def fetch_prometheus() -> bool:
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return False
    print("fleet: fetching Prometheus, once", flush=True)
    if not run(["apt-get", "-qq", "download", "prometheus"], dict(os.environ)):
        return False
    (package,) = sorted(CACHE.glob("prometheus_*.deb"))[-1:]
    return run(["dpkg-deb", "-x", package, CACHE / "prometheus"], dict(os.environ))


def run(words: list[object], environ: dict[str, str]) -> bool:
    return (
        subprocess.run(list(map(str, words)), cwd=CACHE, env=environ, check=False).returncode == 0
    )


if __name__ == "__main__":
    sys.exit(main())

"""Writes sums and decisions as OTLP in JSON: values in, the bytes of a request out.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding; integers of 64 bits are texts
there. Names are those of OpenTelemetry's conventions where it has one, else `laconic.` begins them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from laconic import __version__
from laconic.export.leaving import Leaving
from laconic.export.sums import AGENT, METRICS, SERIAL, Counters

METRICS_PATH, LOGS_PATH = "/v1/metrics", "/v1/logs"
EVENT = "laconic.decision"
_CUMULATIVE = 2
# https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
_SEVERITY = {"deny": (13, "WARN"), "unchecked": (13, "WARN")}
_USUAL = (9, "INFO")
_NANO = 1_000_000_000


def resource(instance: str, team: str) -> dict[str, str]:
    """Return what all of it is about; instance: random, the same for all of this machine."""
    about = {
        "service.name": "laconic",
        "service.version": __version__,
        "service.instance.id": instance,
    }
    return about | ({"laconic.team": team} if team else {})


def metrics(counters: Counters, about: Mapping[str, str], *, since: float, now: float) -> bytes:
    """Return the body of a request with all sums since then."""
    by_name = {
        name: list(found) for name, found in groupby(sorted(counters), key=lambda key: key[0])
    }
    points = {
        name: [
            {
                "attributes": _attributes(dict(attributes)),
                "startTimeUnixNano": _nano(since),
                "timeUnixNano": _nano(now),
                "asInt": str(counters[name, attributes]),
            }
            for _, attributes in keys
        ]
        for name, keys in by_name.items()
    }
    listed = [
        {
            "name": metric.name,
            "description": metric.about,
            "unit": metric.unit,
            "sum": {
                "aggregationTemporality": _CUMULATIVE,
                "isMonotonic": True,
                "dataPoints": points[metric.name],
            },
        }
        for metric in METRICS
        if metric.name in points
    ]
    return _body("resourceMetrics", "scopeMetrics", "metrics", listed, about)


def logs(lines: Iterable[Leaving], about: Mapping[str, str], *, now: float) -> bytes:
    """Return the body of a request with decisions."""
    return _body(
        "resourceLogs", "scopeLogs", "logRecords", [_record(line, now) for line in lines], about
    )


def _record(line: Leaving, now: float) -> dict[str, Any]:
    number, word = _SEVERITY.get(line.verdict, _USUAL)
    attributes: dict[str, Any] = {
        "laconic.decision.id": line.id,
        "laconic.version": line.version,
        "laconic.verdict": line.verdict,
        "laconic.outcome": line.outcome,
        "laconic.effects": list(line.effects),
        "laconic.rule": line.rule,
        "laconic.profile": line.profile,
        SERIAL: line.policy,
        "laconic.box": line.in_box,
        AGENT: line.agent,
        "session.id": line.session,
        "gen_ai.tool.call.id": line.call,
        "process.command_line": line.command,
    }
    return {
        "timeUnixNano": _nano(line.time),
        "observedTimeUnixNano": _nano(now),
        "severityNumber": number,
        "severityText": word,
        "eventName": EVENT,
        "body": {"stringValue": line.verdict},
        "attributes": _attributes(attributes),
    }


def _body(
    outer: str, scope: str, inner: str, listed: list[dict[str, Any]], about: Mapping[str, str]
) -> bytes:
    content = {"scope": {"name": "laconic", "version": __version__}, inner: listed}
    document = {outer: [{"resource": {"attributes": _attributes(about)}, scope: [content]}]}
    return json.dumps(document, separators=(",", ":")).encode()


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return those that have a value; what is empty is not known."""
    known = (item for item in values.items() if item[1] not in ("", [], ()))
    return [{"key": key, "value": _value(value)} for key, value in known]


def _value(value: object) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {"stringValue": str(value)}


def _nano(seconds: float) -> str:
    return str(round(seconds * 1_000_000) * (_NANO // 1_000_000))

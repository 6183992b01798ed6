#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that a file is in Chrome's trace event format and makes sense.

Prints what is in it: calls of each name, instant events, tasks. The exit
status is 1 if something is wrong.
"""

import argparse
import collections
import json
import re
import sys
from decimal import Decimal

TIME = re.compile(r"(0|[1-9][0-9]*)\.[0-9]{3}")


class Wrong(Exception):
    """Something in the file is not as it should be."""


def need(condition, what, event):
    if not condition:
        raise Wrong(f"{what}: {event!r:.300}")


def check_form(event):
    """What the format demands of every event."""
    need(isinstance(event, dict), "no object", event)
    need(event.get("ph") in ("B", "E", "i", "M"), "odd ph", event)
    need(isinstance(event.get("name"), str), "no name", event)
    for key in ("pid", "tid"):
        need(type(event.get(key)) is int and event[key] >= 0, f"bad {key}", event)
    need("ts" in event, "no ts", event)
    known = {"ph", "ts", "pid", "tid", "name"}
    if event["ph"] in "BE":
        known |= {"args"}
    if event["ph"] == "i":
        need(event.get("s") == "t", "instant event without scope", event)
        known |= {"s", "args"}
    if event["ph"] == "M":
        need(event["name"] in ("process_name", "thread_name"), "odd metadata", event)
        need(isinstance(event.get("args", {}).get("name"), str), "no name in args", event)
        known |= {"args"}
    need(isinstance(event.get("args", {}), dict), "args is no object", event)
    need(not set(event) - known, "unknown keys", event)


def check(trace, whole):
    need(isinstance(trace, dict), "no object", trace)
    need(isinstance(trace.get("traceEvents"), list), "no traceEvents", trace)

    named = collections.defaultdict(set)
    stacks = collections.defaultdict(list)
    last = {}
    calls = collections.Counter()
    instants = collections.Counter()

    for event in trace["traceEvents"]:
        check_form(event)
        task = (event["pid"], event["tid"])
        if event["ph"] == "M":
            named[event["name"]].add(task)
            continue
        need(isinstance(event["ts"], Decimal), "ts is not n.nnn", event)
        need(event["ts"] >= last.get(task, 0), f"time goes back from {last.get(task)}", event)
        last[task] = event["ts"]
        for what in ("process_name", "thread_name"):
            need(task in named[what], f"no {what} yet", event)
        if event["ph"] == "B":
            stacks[task].append(event["name"])
            calls[event["name"]] += 1
        elif event["ph"] == "E":
            need(stacks[task], "an end without a beginning", event)
            begun = stacks[task].pop()
            need(begun == event["name"], f"ends what began as {begun!r}", event)
        else:
            instants[event["name"]] += 1
    if whole:
        for task, stack in stacks.items():
            need(not stack, f"task {task} has calls without an end", stack)
    return calls, instants, len(named["thread_name"])


def decimal(text):
    """Keeps the digits of a time: a float has not enough of them."""
    return Decimal(text) if TIME.fullmatch(text) else float(text)


def printable(name):
    """One line, whatever is in a name."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--open", action="store_true",
                        help="calls without an end are no error")
    args = parser.parse_args()

    try:
        with open(args.file, encoding="utf-8") as file:
            trace = json.load(file, parse_float=decimal)
        calls, instants, tasks = check(trace, not args.open)
    except (OSError, ValueError, Wrong) as error:
        print(f"{args.file}: {error}", file=sys.stderr)
        return 1

    for name, count in sorted(calls.items()):
        print(f"call {count} {printable(name)}")
    for name, count in sorted(instants.items()):
        print(f"instant {count} {printable(name)}")
    print(f"total {sum(calls.values())} calls, {sum(instants.values())} instants, {tasks} tasks")
    return 0


if __name__ == "__main__":
    sys.exit(main())

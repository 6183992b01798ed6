#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check that a file is a Perfetto trace and makes sense.

Decodes it with the schema that Perfetto publishes (Python package "perfetto")
and prints what is in it: calls of each name, instant events, tracks. The exit
status is 1 if something is wrong, and 4 (skipped) without that package.
"""

import argparse
import collections
import sys

try:
    from google.protobuf.message import DecodeError
    from google.protobuf.unknown_fields import UnknownFieldSet
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
except ImportError as missing:
    print(f"skipped: {missing}; try: pip install perfetto", file=sys.stderr)
    sys.exit(4)

MONOTONIC = schema.BuiltinClock.Value("BUILTIN_CLOCK_MONOTONIC")
CLEARED = schema.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
NEEDS = schema.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
Event = schema.TrackEvent


class Wrong(Exception):
    """Something in the file is not as it should be."""


def need(condition, what):
    if not condition:
        raise Wrong(what)


def packets(data):
    """The packets of a trace, one after the other."""
    tag = schema.Trace.DESCRIPTOR.fields_by_name["packet"].number << 3 | 2
    at = 0
    while at < len(data):
        need(data[at] == tag, f"no packet at byte {at}")
        at += 1
        size = shift = 0
        while True:
            need(at < len(data) and shift < 64, f"bad length at byte {at}")
            byte = data[at]
            at += 1
            size |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        need(at + size <= len(data), f"the packet at byte {at} is cut off")
        packet = schema.TracePacket()
        packet.ParseFromString(data[at:at + size])
        yield packet
        at += size


def need_known(message):
    """No field is unknown to the schema, at any depth."""
    need(not len(UnknownFieldSet(message)), f"unknown fields in {message}")
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                need_known(inner)


class Checker:
    """What is known after some packets of the sequence."""

    def __init__(self):
        self.names = None
        self.clock = None
        self.clocks = set()
        self.processes = {}
        self.threads = {}
        self.stacks = collections.defaultdict(list)
        self.last = collections.Counter()
        self.calls = collections.Counter()
        self.instants = collections.Counter()
        self.values = []

    def packet(self, packet):
        need_known(packet)
        need(packet.trusted_packet_sequence_id, "a packet without a sequence")
        if packet.sequence_flags & CLEARED:
            self.names = {}
            self.clock = packet.trace_packet_defaults.timestamp_clock_id
        else:
            need(packet.sequence_flags & NEEDS, "a packet does not need what was before it")
            need(self.names is not None, "the first packet does not clear the state")
        if packet.HasField("clock_snapshot"):
            need(packet.clock_snapshot.primary_trace_clock == MONOTONIC, "odd primary clock")
            self.clocks.update(clock.clock_id for clock in packet.clock_snapshot.clocks)
        for entry in packet.interned_data.event_names:
            need(entry.iid and entry.iid not in self.names, f"name {entry.iid} is there twice")
            self.names[entry.iid] = entry.name
        if packet.HasField("track_descriptor"):
            self.track(packet.track_descriptor)
        if packet.HasField("track_event"):
            clock = packet.timestamp_clock_id or self.clock
            need(clock == MONOTONIC and clock in self.clocks, f"odd clock {clock}")
            self.event(packet.timestamp, packet.track_event)

    def track(self, track):
        need(track.uuid, "a track without uuid")
        if track.HasField("process"):
            old = self.processes.setdefault(track.uuid, track.process.pid)
            need(old == track.process.pid, f"one uuid for processes {old} and {track}")
            need(track.process.process_name, f"no process name: {track}")
        if track.HasField("thread"):
            need(track.parent_uuid in self.processes, f"a thread without process: {track}")
            need(track.thread.pid == self.processes[track.parent_uuid], f"odd pid: {track}")
            thread = (track.thread.pid, track.thread.tid)
            old = self.threads.setdefault(track.uuid, thread)
            need(old == thread, f"one uuid for threads {old} and {track}")

    def event(self, time, event):
        track = event.track_uuid
        need(track in self.threads, f"no such track: {event}")
        need(time >= self.last[track], f"time goes back at {time}: {event}")
        self.last[track] = time
        for annotation in event.debug_annotations:
            kind = annotation.WhichOneof("value")
            self.values.append((annotation.name, kind, getattr(annotation, kind)))
        if event.type == Event.TYPE_SLICE_END:
            need(self.stacks[track], f"an end without a beginning at {time}: {event}")
            self.stacks[track].pop()
            return
        if event.HasField("name_iid"):
            need(event.name_iid in self.names, f"the name is not known yet: {event}")
            name = self.names[event.name_iid]
        else:
            name = event.name
            need(name, f"no name: {event}")
        for annotation in event.debug_annotations:
            need(annotation.name, f"no name in {annotation}")
        if event.type == Event.TYPE_SLICE_BEGIN:
            self.stacks[track].append(name)
            self.calls[name] += 1
        else:
            need(event.type == Event.TYPE_INSTANT, f"odd type: {event}")
            self.instants[name] += 1

    def end(self, whole):
        need(self.names is not None, "no packets")
        for track, stack in self.stacks.items():
            need(not (whole and stack), f"track {track} has calls without an end: {stack}")


def printable(name):
    """One line, whatever is in a name."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--values", action="store_true", help="print what events have")
    parser.add_argument("--open", action="store_true",
                        help="calls without an end are no error")
    args = parser.parse_args()

    checker = Checker()
    try:
        with open(args.file, "rb") as file:
            for packet in packets(file.read()):
                checker.packet(packet)
        checker.end(not args.open)
    except (OSError, DecodeError, Wrong) as error:
        print(f"{args.file}: {error}", file=sys.stderr)
        return 1

    if args.values:
        for name, kind, value in checker.values:
            print(f"value {name} {kind} {printable(str(value))}")
    for name, count in sorted(checker.calls.items()):
        print(f"call {count} {printable(name)}")
    for name, count in sorted(checker.instants.items()):
        print(f"instant {count} {printable(name)}")
    print(f"total {checker.calls.total()} calls, {checker.instants.total()} instants, "
          f"{len(checker.threads)} tasks")
    return 0


if __name__ == "__main__":
    sys.exit(main())

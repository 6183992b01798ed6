# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether no message of a merged trace arrives before it was sent."""


def times(events):
    """When each message was sent, and when it was received, in ns."""
    sent, received = {}, {}
    for event in events:
        if event["ph"] == "i" and event["name"].startswith("fntrace:"):
            number = int(event["args"]["text"])
            (sent if event["name"] == "fntrace:send" else received)[number] = event["ts"] * 1000
    return sent, received


def wrong(events, error, least):
    """What is wrong with the order of messages and the stated error, or nothing."""
    sent, received = times(events)
    both_ends = sorted(set(sent) & set(received))
    if len(both_ends) < least:
        return f"{len(both_ends)} messages have both ends"
    for number in both_ends:
        if received[number] < sent[number] - error:
            return f"message {number} arrives {sent[number] - received[number]:.0f} ns early"
    # An even number is answered with the next one. The error is largest at the first or
    # the last message, where it is at most the round trip there: on a busy machine, that
    # may be longer than the usual one.
    trips = [received[n + 1] - sent[n] for n in both_ends if n % 2 == 0 and n + 1 in both_ends]
    usual = sorted(trips)[len(trips) // 2]
    most = max(usual, trips[0], trips[-1])
    if error > most:
        return f"error {error} ns, a round trip takes {usual:.0f} ns, at the ends {most:.0f} ns"
    return ""

// SPDX-License-Identifier: GPL-2.0
/// A debug message that describes what the code does, rather than what is
/// wrong, can be a marker: a NOP that becomes a trace event, with a field for
/// each argument, when its name is written to marker_events. See
/// Documentation/trace/markers.rst.
///
//# The marker gets the name of its function, with a number if the function has
//# several. Look at each name: it must be unique in the kernel, and begins with
//# that of the subsystem. A word before each conversion becomes the name of a
//# field. Look also for users of the message: with dynamic debug it goes to the
//# log, and a marker does not.
//#
//# Messages with a conversion that marker events cannot record are left alone.
//#
// Confidence: Low
// Copyright: (C) 2026 The static-key tracepoints developers
// Options: --no-includes --include-headers

virtual patch

@initialize:python@
@@
import re

# As in kernel/trace/marker_parse.c.
CONVERSION = re.compile(
    r"%(?:%|[-+ #0]*\d*(?:\.\d+)?(?:hh?|ll?|[Lzt])?[diuoxXc]"
    r"|[-+ #0]*\d*(?:\.(?:\d+|\*))?s"
    r"|p(?:[SsB]\w*|[Mm]\w*|[Ii][46]\w*|U\w*|ad?|G[gpv]|e|K|x|(?!\w))"
    r"|(?:[1-9]|[1-5]\d|6[0-4])ph\w*)")

# The lexer of SmPL wants quotes in pairs.
STRING = r"\x22((?:[^\x22\\]|\\.)*)\x22"

# Lines of the messages that can be markers, by file and function.
lines = {}


def marker_of(macro, terms):
    """The format and the arguments of the marker that a message would make, or None."""
    arguments = list(terms.elements)
    device = arguments.pop(0) if macro == "dev_dbg" else ""
    # printk() has messages of all levels.
    literal = re.match((r"KERN_DEBUG\s*" if macro == "printk" else "") + STRING + "$",
                       arguments.pop(0) if arguments else "")
    if not literal:
        return None
    words = re.sub(r"(?:\\n)+$", "", literal.group(1))
    # The marker has the name of the function.
    function = re.match(r"[^\w%]*%s(?:\W+(?=\w)|[^\w%]*$)", words)
    if function and arguments[:1] == ["__func__"]:
        words = words[function.end():]
        del arguments[0]
    if not words or "%" in CONVERSION.sub("", words):
        return None
    if device:
        words = "device %s " + words
        arguments.insert(0, "dev_name(%s)" % device)
    return ", ".join(["\x22%s\x22" % words] + arguments)


def found(place):
    nrs = lines.setdefault((place.file, place.current_element), set())
    nrs.add(int(place.line))


def name_of(place):
    nrs = sorted(lines[place.file, place.current_element])
    nr = nrs.index(int(place.line))
    return place.current_element + ("_%d" % (nr + 1) if nr else "")

@has_include@
@@
#include <linux/marker.h>

@message@
identifier macro = {pr_debug, printk, dev_dbg};
expression list es;
position p;
@@
macro@p(es)

@script:python good@
macro << message.macro;
es << message.es;
p << message.p;
@@
if marker_of(macro, es):
    found(p[0])
else:
    cocci.include_match(False)

// All of them have been found by now, so that they can be numbered.

@script:python new@
macro << message.macro;
es << message.es;
p << message.p;
mark;
@@
coccinelle.mark = cocci.make_expr("MARK(%s, %s)" % (name_of(p[0]), marker_of(macro, es)))

@changed depends on patch@
identifier message.macro;
expression list message.es;
position message.p;
expression new.mark;
@@
- macro@p(es)
+ mark

@depends on changed && !has_include@
@@
#include <linux/...>
+ #include <linux/marker.h>

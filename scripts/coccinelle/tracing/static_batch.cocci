// SPDX-License-Identifier: GPL-2.0
/// Each change of a static key, of a static call or of the probes of a
/// tracepoint interrupts all CPUs, on x86 three times. For a whole loop it can be a
/// constant number of times, however many there are. See "Batches of changes" in
/// Documentation/staging/static-keys.rst.
///
//# The changes take effect behind the loop. Look at what is between them and
//# that place, whether it relies on them, and whether it takes a lock that is
//# held now. A loop is reported, but not changed, if it is left by return or
//# goto, which would skip what is behind it, or if it has changes of two kinds.
//# static_key_queue() shows the new count of a key before its sites are patched, so
//# that another task's static_branch_inc() may return before they are: a loop over
//# keys that are counted elsewhere has to stay as it is. The script cannot tell.
//# The functions of batches are not exported: leave the code of modules alone.
//# Loops with do are not found, because SmPL does not match them.
//#
// Confidence: Moderate
// Copyright: (C) 2026 The static-key tracepoints developers
// Options: --no-includes --include-headers

virtual patch
virtual context
virtual org
virtual report

@initialize:python@
@@
# The loops around each call, and the loops that have calls of each kind.
loops = {}
with_kind = {"key": set(), "call": set(), "probe": set()}


def key_of(place):
    return place.file, int(place.line), int(place.column)


def kinds_of(place):
    """The kinds of the calls in a loop that is the outermost around one of them."""
    loop = key_of(place)
    if loop not in [min(around) for around in loops.values()]:
        return []
    return [kind for kind, found in with_kind.items() if loop in found]

@has_cpu@
@@
#include <linux/cpu.h>

// One and the same key in each round
@same@
identifier change = {static_branch_enable, static_branch_disable,
		     static_key_enable, static_key_disable};
identifier key, member;
constant C;
position p;
@@
(
change@p(&key)
|
change@p(&key[C])
|
change@p(&key[C].member)
)

// The change is the last of the loop
@once@
identifier change = {static_branch_enable, static_branch_disable,
		     static_key_enable, static_key_disable, __static_call_update,
		     tracepoint_probe_register, tracepoint_probe_unregister};
expression e, r;
identifier label;
position p;
@@
(
return <+... change@p(...) ...+>;
|
\(change@p(...);\|e = change@p(...);\)
\(break;\|return;\|return r;\|goto label;\)
)

// The loop is in a batch
@batched@
identifier change = {tracepoint_probe_register, tracepoint_probe_unregister};
position p;
@@
tracepoint_batch_begin();
<+... change@p(...) ...+>
tracepoint_batch_end();

@loop exists@
identifier change = {static_branch_enable, static_branch_disable,
		     static_key_enable, static_key_disable, __static_call_update,
		     tracepoint_probe_register, tracepoint_probe_unregister};
type T;
identifier i;
expression e;
iterator each;
position p != {same.p, once.p, batched.p};
position l;
@@
(
for@l (...;...;...) { <+... change@p(...) ...+> }
|
for@l (T i = e;...;...) { <+... change@p(...) ...+> }
|
while@l (...) { <+... change@p(...) ...+> }
|
each@l(...) { <+... change@p(...) ...+> }
)

@script:python@
change << loop.change;
p << loop.p;
l << loop.l;
@@
loops.setdefault(key_of(p[0]), set()).add(key_of(l[0]))
with_kind["probe" if change.startswith("tracepoint_") else
          "call" if change.startswith("__static_call") else "key"].add(key_of(l[0]))

@depends on context@
identifier loop.change;
position loop.p;
@@
* change@p(...)

// What would skip the end
@left exists@
expression r;
identifier label;
type T;
identifier i;
expression e;
iterator each;
position out;
@@
(
for@out (...;...;...) { <+... \(return;\|return r;\|goto label;\) ...+> }
|
for@out (T i = e;...;...) { <+... \(return;\|return r;\|goto label;\) ...+> }
|
while@out (...) { <+... \(return;\|return r;\|goto label;\) ...+> }
|
each@out(...) { <+... \(return;\|return r;\|goto label;\) ...+> }
)

@script:python kind depends on patch@
l << loop.l;
init;
apply;
@@
kinds = kinds_of(l[0])
# The first two become locks below.
names = {"key": "static_key_queue", "call": "static_call_queue", "probe": "tracepoint_batch"}
if len(kinds) == 1:
    coccinelle.init = cocci.make_ident(names[kinds[0]] + "_begin")
    coccinelle.apply = cocci.make_ident(names[kinds[0]] + "_end")
else:
    cocci.include_match(False)

@wrap depends on patch@
type T;
identifier i;
expression e;
iterator each;
identifier kind.init, kind.apply;
position loop.l != left.out;
statement S;
@@
(
+init();
for@l (...;...;...) S
+apply();
|
+init();
for@l (T i = e;...;...) S
+apply();
|
+init();
while@l (...) S
+apply();
|
+init();
each@l(...) S
+apply();
)

@keys depends on wrap@
expression e;
identifier pointer;
@@
-static_key_queue_begin();
+cpus_read_lock();
+jump_label_lock();
<...
(
- static_branch_enable(&e)
+ static_key_queue(&e.key, true)
|
- static_branch_enable(pointer)
+ static_key_queue(&pointer->key, true)
|
- static_branch_enable(e)
+ static_key_queue(&(e)->key, true)
|
- static_branch_disable(&e)
+ static_key_queue(&e.key, false)
|
- static_branch_disable(pointer)
+ static_key_queue(&pointer->key, false)
|
- static_branch_disable(e)
+ static_key_queue(&(e)->key, false)
|
- static_key_enable(e)
+ static_key_queue(e, true)
|
- static_key_disable(e)
+ static_key_queue(e, false)
)
...>
-static_key_queue_end();
+jump_label_apply();
+jump_label_unlock();
+cpus_read_unlock();

@calls depends on wrap@
expression e, tramp, func;
@@
-static_call_queue_begin();
+cpus_read_lock();
+static_call_lock();
<...
- __static_call_update(e, tramp, func)
+ static_call_queue(e, tramp, func)
...>
-static_call_queue_end();
+arch_static_call_apply();
+static_call_unlock();
+cpus_read_unlock();

@depends on (keys || calls) && !has_cpu@
@@
#include <linux/...>
+ #include <linux/cpu.h>

@script:python depends on org@
p << loop.p;
@@
coccilib.org.print_todo(p[0], "all CPUs are interrupted in each round; they could be once for the loop")

@script:python depends on report@
p << loop.p;
@@
coccilib.report.print_report(p[0], "all CPUs are interrupted in each round; they could be once for the loop")

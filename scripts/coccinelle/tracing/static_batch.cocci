// SPDX-License-Identifier: GPL-2.0-only
/// Each change of a static key, of a static call or of the probes of a
/// tracepoint interrupts all CPUs, on x86 three times. In a loop, a batch makes
/// that a constant number of times, however many there are. See "Batches of
/// changes" in Documentation/staging/static-keys.rst.
///
//# The changes take effect behind the loop. Look at what is between them and
//# that place, and whether it relies on them. A loop is reported, but not
//# changed, if it is left by return or goto, which would skip the end of the
//# batch, or if it changes keys and probes, which have batches of their own.
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
with_kind = {"key": set(), "probe": set()}


def key_of(place):
    return place.file, int(place.line), int(place.column)


def kinds_of(place):
    """The kinds of the calls in a loop that is the outermost around one of them."""
    loop = key_of(place)
    if loop not in [min(around) for around in loops.values()]:
        return []
    return [kind for kind, found in with_kind.items() if loop in found]

@has_static_batch@
@@
#include <linux/static_batch.h>

@has_tracepoint_batch@
@@
#include <linux/tracepoint_batch.h>

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

@loop exists@
identifier change = {static_branch_enable, static_branch_disable,
		     static_key_enable, static_key_disable, __static_call_update,
		     tracepoint_probe_register, tracepoint_probe_unregister};
type T;
identifier i;
expression e;
iterator each;
position p != {same.p, once.p};
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
with_kind["probe" if change.startswith("tracepoint_") else "key"].add(key_of(l[0]))

@depends on context@
identifier loop.change;
position loop.p;
@@
* change@p(...)

// What would skip the end of a batch
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
if kinds == ["key"]:
    coccinelle.init = cocci.make_ident("static_batch_init")
    coccinelle.apply = cocci.make_ident("static_batch_apply")
elif kinds == ["probe"]:
    coccinelle.init = cocci.make_ident("tracepoint_batch_init")
    coccinelle.apply = cocci.make_ident("tracepoint_batch_commit")
else:
    cocci.include_match(False)

@wrap depends on patch@
symbol batch;
type T;
identifier i;
expression e;
iterator each;
identifier kind.init, kind.apply;
position loop.l != left.out;
statement S;
@@
(
+init(&batch);
for@l (...;...;...) S
+apply(&batch);
|
+init(&batch);
for@l (T i = e;...;...) S
+apply(&batch);
|
+init(&batch);
while@l (...) S
+apply(&batch);
|
+init(&batch);
each@l(...) S
+apply(&batch);
)

@new_static_batch depends on wrap@
symbol batch;
expression e, tramp, func;
identifier pointer;
@@
static_batch_init(&batch);
<...
(
- static_branch_enable(&e)
+ static_batch_key(&batch, &e.key, true)
|
- static_branch_enable(pointer)
+ static_batch_key(&batch, &pointer->key, true)
|
- static_branch_enable(e)
+ static_batch_key(&batch, &(e)->key, true)
|
- static_branch_disable(&e)
+ static_batch_key(&batch, &e.key, false)
|
- static_branch_disable(pointer)
+ static_batch_key(&batch, &pointer->key, false)
|
- static_branch_disable(e)
+ static_batch_key(&batch, &(e)->key, false)
|
- static_key_enable(e)
+ static_batch_key(&batch, e, true)
|
- static_key_disable(e)
+ static_batch_key(&batch, e, false)
|
- __static_call_update(e, tramp, func)
+ static_batch_call(&batch, e, tramp, func)
)
...>
static_batch_apply(&batch);

@new_tracepoint_batch depends on wrap@
symbol batch;
expression tp, probe, data;
@@
tracepoint_batch_init(&batch);
<...
(
- tracepoint_probe_register(tp, probe, data)
+ tracepoint_batch_register(&batch, tp, probe, data)
|
- tracepoint_probe_unregister(tp, probe, data)
+ tracepoint_batch_unregister(&batch, tp, probe, data)
)
...>
tracepoint_batch_commit(&batch);

@depends on new_static_batch@
symbol batch;
identifier f;
@@
f(...)
{
+struct static_batch batch;
+
static_batch_init(&batch);
... when any
}

@depends on new_static_batch@
symbol batch;
identifier f;
@@
f(...)
{
+struct static_batch batch;
... when != struct static_batch batch;
static_batch_init(&batch);
... when any
}

@depends on new_tracepoint_batch@
symbol batch;
identifier f;
@@
f(...)
{
+struct tracepoint_batch batch;
+
tracepoint_batch_init(&batch);
... when any
}

@depends on new_tracepoint_batch@
symbol batch;
identifier f;
@@
f(...)
{
+struct tracepoint_batch batch;
... when != struct tracepoint_batch batch;
tracepoint_batch_init(&batch);
... when any
}

@both depends on new_static_batch && !has_static_batch && new_tracepoint_batch &&
		 !has_tracepoint_batch@
@@
#include <linux/...>
+ #include <linux/static_batch.h>
+ #include <linux/tracepoint_batch.h>

@depends on new_static_batch && !has_static_batch && !both@
@@
#include <linux/...>
+ #include <linux/static_batch.h>

@depends on new_tracepoint_batch && !has_tracepoint_batch && !both@
@@
#include <linux/...>
+ #include <linux/tracepoint_batch.h>

@script:python depends on org@
p << loop.p;
@@
coccilib.org.print_todo(p[0], "all CPUs are interrupted in each round; a batch does it once")

@script:python depends on report@
p << loop.p;
@@
coccilib.report.print_report(p[0], "all CPUs are interrupted in each round; a batch does it once")

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The items that an event consists of.
//!
//! They are the same as those that C's macros make in `include/linux/tracepoint.h`,
//! `include/trace/trace_events.h`, `include/trace/perf.h` and `include/trace/bpf_probe.h`. Only
//! what the event's own code needs is visible to the code around the macro, the rest is in a
//! block.

use super::{
    check,
    ctype::Kind,
    format::{self, Conversion, Piece, Width},
    parse::{plain, Arg, Class, Event, Field, How, Print, PrintArg},
    template::{c_bytes, c_string, expand, ident, number, own, string},
};
use proc_macro::{Ident, Span, TokenStream, TokenTree};
use std::collections::HashSet;

/// A text that the compiler puts together, because it may have values of constants in it.
#[derive(Default)]
struct Text(TokenStream);

impl Text {
    fn push(&mut self, text: &str) {
        self.0.extend(expand(
            Span::call_site(),
            "::kernel::trace_event::Text::Text($text),",
            &[("text", string(text))],
        ));
    }

    /// Adds the value of a constant expression.
    fn push_number(&mut self, value: &TokenStream) {
        self.0.extend(expand(
            span(value),
            "::kernel::trace_event::Text::Number(($value) as i128),",
            &[("value", value.clone())],
        ));
    }

    /// A `static` with the text, without a NUL, for a file that the build makes.
    fn into_file(self, section: &str) -> TokenStream {
        let template = format!(
            "
            #[used(compiler)]
            #[link_section = \"{section}\"]
            static @FILE: [u8; ::kernel::trace_event::text_size(&[$text]) - 1] =
                ::kernel::trace_event::text(&[$text]);
            "
        );

        expand(Span::call_site(), &template, &[("text", self.0)])
    }

    /// A `static` with the text.
    fn into_static(self, name: &str, mutable: bool) -> TokenStream {
        let template = format!(
            "static {} $name: [u8; ::kernel::trace_event::text_size(&[$text])] =
                ::kernel::trace_event::text(&[$text]);",
            if mutable { "mut" } else { "" }
        );

        expand(
            Span::call_site(),
            &template,
            &[("name", own(name, Span::mixed_site())), ("text", self.0)],
        )
    }
}

/// The place of the first token.
fn span(tokens: &TokenStream) -> Span {
    tokens
        .clone()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}

fn token(ident: &Ident) -> TokenStream {
    TokenTree::Ident(ident.clone()).into()
}

/// Whether an expression may use a variable.
fn uses(expression: &TokenStream, name: &str) -> bool {
    expression.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => plain(&ident) == name,
        TokenTree::Group(group) => uses(&group.stream(), name),
        // As in `{name}`, in a format string.
        TokenTree::Literal(literal) => literal.to_string().contains(name),
        TokenTree::Punct(_) => false,
    })
}

/// The arguments of an event in the forms that its functions have them.
#[derive(Default)]
struct Args {
    /// Parameters of the types that the user has written.
    params: TokenStream,
    /// Their names.
    names: TokenStream,
    /// What C sees of the parameters.
    abi_params: TokenStream,
    /// The types of those.
    abi_types: TokenStream,
    /// Their names.
    abi_names: TokenStream,
    /// How the former become the latter.
    into_abi: TokenStream,
    /// And back, which is unsafe: each of these is an `unsafe` block.
    from_abi: TokenStream,
    /// Their bits, for BPF.
    bits: TokenStream,
    /// How many there are for C.
    count: usize,
}

impl Args {
    fn new<'a>(args: impl Iterator<Item = &'a Arg>) -> Self {
        let mut all = Self::default();

        for arg in args {
            let at = span(&arg.ty.tokens);
            let mut values = vec![("name", token(&arg.name)), ("ty", arg.ty.tokens.clone())];
            let element = match &arg.ty.kind {
                Kind::Ref(to) => match &to.kind {
                    Kind::Slice(element) => Some(element),
                    _ => None,
                },
                _ => None,
            };

            if let Some(element) = element {
                let len = format!("{}_len", plain(&arg.name));

                values.push(("element", element.tokens.clone()));
                values.push(("pointer", element.abi_pointer(false)));
                values.push(("len", own(&len, Span::mixed_site())));
                all.count += 1;
            }

            let pointer = arg.ty.abi();

            if let (None, Some(pointer)) = (element, &pointer) {
                values.push(("pointer", pointer.clone()));
            }

            let [params, types, names, into, from, bits] = if element.is_some() {
                [
                    "$name: $pointer, $len: usize,",
                    "$pointer, usize,",
                    "$name, $len,",
                    "$name.as_ptr().cast(), $name.len(),",
                    "unsafe {
                        ::kernel::trace_event::slice_from_abi::<$element>($name.cast(), $len)
                    },",
                    "::kernel::trace_event::bits($name), ::kernel::trace_event::bits($len),",
                ]
            } else if pointer.is_some() {
                [
                    "$name: $pointer,",
                    "$pointer,",
                    "$name,",
                    "<$ty as ::kernel::trace_event::TraceArg>::into_abi($name).cast(),",
                    "unsafe { <$ty as ::kernel::trace_event::TraceArg>::from_abi($name.cast()) },",
                    "::kernel::trace_event::bits($name),",
                ]
            } else {
                [
                    "$name: <$ty as ::kernel::trace_event::TraceArg>::Abi,",
                    "<$ty as ::kernel::trace_event::TraceArg>::Abi,",
                    "$name,",
                    "<$ty as ::kernel::trace_event::TraceArg>::into_abi($name),",
                    "unsafe { <$ty as ::kernel::trace_event::TraceArg>::from_abi($name) },",
                    "::kernel::trace_event::bits($name),",
                ]
            };
            let add = |tokens: &mut TokenStream, template| {
                tokens.extend(expand(at, template, &values));
            };

            add(&mut all.params, "$name: $ty,");
            add(&mut all.names, "$name,");
            add(&mut all.abi_params, params);
            add(&mut all.abi_types, types);
            add(&mut all.abi_names, names);
            add(&mut all.into_abi, into);
            add(&mut all.from_abi, from);
            add(&mut all.bits, bits);
            all.count += 1;
        }
        all
    }

    /// Only the arguments that an expression uses: to convert a string takes its length.
    fn used(class: &Class, expression: &TokenStream) -> Self {
        Self::new(
            class
                .args
                .iter()
                .filter(|arg| uses(expression, &plain(&arg.name))),
        )
    }
}

/// The functions of events with errors.
pub(crate) fn empty(class: &Class) -> TokenStream {
    let mut names = HashSet::new();
    let args = Args::new(
        class
            .args
            .iter()
            .filter(|arg| names.insert(plain(&arg.name))),
    );
    let mut names = HashSet::new();

    class
        .events
        .iter()
        .filter(|event| names.insert(plain(&event.name)))
        .map(|event| {
            expand(
                event.name.span(),
                "
                $docs
                #[allow(dead_code, unused_variables)]
                $visibility fn $trace($params) {}

                /// The event has errors.
                #[allow(dead_code)]
                $visibility fn $enabled() -> bool {
                    false
                }
                ",
                &[
                    ("docs", event.docs.clone()),
                    ("visibility", event.visibility.clone()),
                    ("trace", name(event, "trace_", "")),
                    ("enabled", name(event, "trace_", "_enabled")),
                    ("params", args.params.clone()),
                ],
            )
        })
        .collect()
}

/// A name made of that of an event, which counts as the user's.
fn name(event: &Event, prefix: &str, suffix: &str) -> TokenStream {
    let name = format!("{prefix}{}{suffix}", plain(&event.name));

    ident(&name, event.name.span())
}

pub(crate) fn class(class: &Class) -> TokenStream {
    let args = Args::new(class.args.iter());
    let mut tokens: TokenStream = class
        .events
        .iter()
        .map(|event| tracepoint(class, event, &args))
        .collect();

    tokens.extend(expand(
        class.name.span(),
        "
        #[cfg(CONFIG_EVENT_TRACING)]
        #[doc(hidden)]
        #[allow(
            dead_code,
            non_camel_case_types,
            non_snake_case,
            non_upper_case_globals,
            unused_unsafe,
            unused_variables,
            clippy::all,
            clippy::undocumented_unsafe_blocks
        )]
        const _: () = {
            $record
            $class
            $output
            $events
        };

        // What the event needs is not unused because the configuration has no events.
        #[cfg(not(CONFIG_EVENT_TRACING))]
        #[doc(hidden)]
        #[allow(
            dead_code,
            non_camel_case_types,
            unused_variables,
            clippy::all,
            clippy::undocumented_unsafe_blocks
        )]
        const _: () = {
            $record
            $keys
        };
        ",
        &[
            ("keys", key_values(class)),
            ("record", record(class)),
            ("class", event_class(class, &args)),
            ("output", output(class, &class.name, &class.print)),
            (
                "events",
                class
                    .events
                    .iter()
                    .map(|event| event_call(class, event, &args))
                    .collect(),
            ),
        ],
    ));
    tokens
}

/// The tracepoint of an event, and the functions that are called to trace it.
fn tracepoint(class: &Class, event: &Event, args: &Args) -> TokenStream {
    let event_name = plain(&event.name);
    let at = event.name.span();
    let tracepoint = name(event, "__tracepoint_", "");
    let entry = format!(".long __tracepoint_{event_name} - .");
    let mut c_name = event_name.clone().into_bytes();

    c_name.push(0);

    let (mut condition, mut check) = Default::default();
    let mut check_rcu = expand(at, "true", &[]);

    if let Some(expression) = &event.condition {
        let used = Args::used(class, expression);
        let condition_name = name(event, "__trace_condition_", "");

        condition = expand(
            at,
            "
            #[doc(hidden)]
            #[inline(always)]
            #[allow(dead_code, unused_variables, clippy::all)]
            fn $name($params) -> bool {
                $expression
            }
            ",
            &[
                ("name", condition_name.clone()),
                ("params", used.params),
                ("expression", expression.clone()),
            ],
        );
        check = expand(
            at,
            "
            // SAFETY: The caller passes what `into_abi` has returned, or its like in C.
            if !$name($args) {
                return;
            }
            ",
            &[("name", condition_name.clone()), ("args", used.from_abi)],
        );
        check_rcu = expand(
            at,
            "$name($args)",
            &[("name", condition_name), ("args", used.names)],
        );
    }

    let ignore = if class.args.is_empty() {
        TokenStream::new()
    } else {
        expand(at, "let _ = ($names);", &[("names", args.names.clone())])
    };

    expand(
        at,
        "
        $docs
        #[inline(always)]
        #[allow(dead_code, clippy::too_many_arguments)]
        $visibility fn $trace($params) {
            #[cfg(CONFIG_TRACEPOINTS)]
            {
                if ::kernel::tracepoint_enabled!($tracepoint) {
                    // SAFETY: The arguments are valid during the call, which is all that probes
                    // may expect.
                    unsafe { $do_trace($into_abi) }
                }
                #[cfg(CONFIG_LOCKDEP)]
                ::kernel::tracepoint::check_rcu(|| $check_rcu);
            }
            #[cfg(not(CONFIG_TRACEPOINTS))]
            {
                $ignore
            }
        }

        #[doc = $enabled_doc]
        #[inline(always)]
        #[allow(dead_code)]
        $visibility fn $enabled() -> bool {
            ::kernel::tracepoint_enabled!($tracepoint)
        }

        $condition

        // This is called by C code as well. It is a function of its own to keep the way to the
        // probes out of the code that has the tracepoint.
        #[cfg(CONFIG_TRACEPOINTS)]
        #[doc(hidden)]
        #[no_mangle]
        #[cold]
        #[inline(never)]
        #[allow(non_snake_case, unused_unsafe, clippy::all)]
        unsafe extern \"C\" fn $do_trace($abi_params) {
            $check
            // SAFETY: The tracepoint is valid as long as it can be called.
            let mut @func = unsafe {
                ::kernel::trace_event::tracepoint_enter(::core::ptr::addr_of!($tracepoint))
            };

            if @func.is_null() {
                return;
            }
            $call_probes
            // SAFETY: The tracepoint was entered above.
            unsafe { ::kernel::trace_event::tracepoint_exit() }
        }

        #[cfg(CONFIG_TRACEPOINTS)]
        #[doc(hidden)]
        #[no_mangle]
        #[used(compiler)]
        #[link_section = \"__tracepoints\"]
        #[allow(non_upper_case_globals, unused_unsafe)]
        static mut $tracepoint: ::kernel::bindings::tracepoint = {
            #[link_section = \"__tracepoints_strings\"]
            static @NAME: [u8; $name_size] = *$name;

            #[allow(non_snake_case, unused_unsafe, clippy::all)]
            unsafe extern \"C\" fn $iterator(
                @data: *mut ::kernel::ffi::c_void,
                $abi_params
            ) -> ::kernel::ffi::c_int {
                // SAFETY: The tracepoint is valid, and its caller has entered it.
                let mut @func = unsafe {
                    ::core::ptr::addr_of!($tracepoint.funcs)
                        .cast::<*const ::kernel::bindings::tracepoint_func>()
                        .read_volatile()
                };

                if @func.is_null() {
                    return 0;
                }
                $call_probes
                0
            }

            // Where probes of the tracepoint can be attached as if to a function. To the compiler,
            // a function that does the same for another event is as good, but not to them.
            #[allow(non_snake_case, unused_variables, unused_unsafe, clippy::all)]
            unsafe extern \"C\" fn $probestub(@data: *mut ::kernel::ffi::c_void, $abi_params) {
                // SAFETY: Nothing is done with the address.
                ::core::hint::black_box(unsafe { ::core::ptr::addr_of!($tracepoint) });
            }

            ::kernel::trace_event::tracepoint(
                @NAME.as_ptr(),
                $iterator as *const ::kernel::ffi::c_void,
                $probestub as *const ::kernel::ffi::c_void,
            )
        };

        #[cfg(all(CONFIG_TRACEPOINTS, CONFIG_HAVE_ARCH_PREL32_RELOCATIONS))]
        #[doc(hidden)]
        mod $module {
            ::core::arch::global_asm!(
                \".pushsection __tracepoints_ptrs, \\\"a\\\"\",
                \".balign 4\",
                $entry,
                \".popsection\",
            );
        }

        #[cfg(all(CONFIG_TRACEPOINTS, not(CONFIG_HAVE_ARCH_PREL32_RELOCATIONS)))]
        #[doc(hidden)]
        #[allow(unused_unsafe)]
        const _: () = {
            #[used(compiler)]
            #[link_section = \"__tracepoints_ptrs\"]
            static @ENTRY: ::kernel::trace_event::TracepointPtr =
                // SAFETY: Nothing is read.
                ::kernel::trace_event::TracepointPtr(unsafe {
                    ::core::ptr::addr_of!($tracepoint)
                });
        };

        // The build makes a C header of these.
        #[cfg(CONFIG_TRACEPOINTS)]
        #[doc(hidden)]
        const _: () = {
            $declaration
        };
        ",
        &[
            ("docs", event.docs.clone()),
            ("visibility", event.visibility.clone()),
            ("trace", name(event, "trace_", "")),
            ("params", args.params.clone()),
            ("tracepoint", tracepoint),
            ("do_trace", name(event, "rust_do_trace_", "")),
            ("into_abi", args.into_abi.clone()),
            ("check_rcu", check_rcu),
            ("ignore", ignore),
            (
                "enabled_doc",
                string(&format!(
                    "Returns whether the event `{event_name}` is enabled."
                )),
            ),
            ("enabled", name(event, "trace_", "_enabled")),
            ("condition", condition),
            ("check", check),
            ("abi_params", args.abi_params.clone()),
            ("call_probes", call_probes(at, args)),
            ("name_size", number(c_name.len())),
            ("name", bytes(&c_name)),
            ("iterator", name(event, "__traceiter_", "")),
            ("probestub", name(event, "__probestub_", "")),
            ("module", name(event, "__tracepoint_entry_", "")),
            ("entry", string(&entry)),
            (
                "declaration",
                declaration(class, event).into_file(".discard.trace_decl"),
            ),
        ],
    )
}

fn bytes(bytes: &[u8]) -> TokenStream {
    TokenTree::Literal(proc_macro::Literal::byte_string(bytes)).into()
}

/// Calls the probes from `func` on, of which there is one at least.
fn call_probes(at: Span, args: &Args) -> TokenStream {
    expand(
        at,
        "
        loop {
            // SAFETY: This is an array of functions of this type, with their data, and it ends
            // with NULL. It stays until the tracepoint is left.
            unsafe {
                let @probe = ::core::mem::transmute::<
                    *mut ::kernel::ffi::c_void,
                    unsafe extern \"C\" fn(*mut ::kernel::ffi::c_void, $types),
                >(::core::ptr::addr_of!((*@func).func).read_volatile());

                @probe((*@func).data, $names);
                @func = @func.add(1);
                if (*@func).func.is_null() {
                    break;
                }
            }
        }
        ",
        &[
            ("types", args.abi_types.clone()),
            ("names", args.abi_names.clone()),
        ],
    )
}

/// What C code needs to call the event.
fn declaration(class: &Class, event: &Event) -> Text {
    let mut text = Text::default();
    let mut proto = Vec::new();
    let mut names = Vec::new();

    for arg in &class.args {
        let name = plain(&arg.name);

        // Types of the same name need not be the same.
        if let Some((ty, c_name)) = arg.ty.c_integer() {
            text.push(&format!("static_assert(sizeof({c_name}) == "));
            text.push_number(&size_of(&ty.tokens));
            text.push(");\n");
        }

        proto.push(arg.ty.c_declaration(&name));
        names.push(name.clone());
        if matches!(&arg.ty.kind, Kind::Ref(to) if matches!(to.kind, Kind::Slice(_))) {
            proto.push(format!("size_t {name}_len"));
            names.push(format!("{name}_len"));
        }
    }

    let name = plain(&event.name);

    if proto.is_empty() {
        text.push(&format!("DECLARE_RUST_TRACE_NOARGS({name})\n"));
    } else {
        let (names, proto) = (names.join(", "), proto.join(", "));

        text.push(&format!(
            "DECLARE_RUST_TRACE({name},\n\tTP_ARGS({names}),\n\t{proto})\n"
        ));
    }
    text
}

/// The place of a dynamic array in the record has a name of its own, as in C.
fn member(field: &Field) -> TokenStream {
    if field.is_dynamic() {
        let name = format!("__data_loc_{}", plain(&field.name));

        ident(&name, field.name.span())
    } else {
        token(&field.name)
    }
}

/// The record, and the function that writes one.
fn record(class: &Class) -> TokenStream {
    let mut members = TokenStream::new();
    let mut sources = TokenStream::new();
    let mut stores = TokenStream::new();
    let mut clears = TokenStream::new();
    // The member in front of a field, and its type.
    let at = class.name.span();
    let mut before = (
        expand(at, "ent", &[]),
        expand(at, "::kernel::bindings::trace_entry", &[]),
    );
    let mut expressions = TokenStream::new();

    for (i, field) in class.fields.iter().enumerate() {
        let (member_type, source, store) = match &field.ty.kind {
            Kind::String => (
                "u32",
                "
                let $source = $value;
                let $source = ::kernel::trace_event::StringSource::into_bytes($source);
                let $location = @layout.place($source.len() + 1);
                ",
                "
                // SAFETY: The layout has room for the string.
                unsafe {
                    ::kernel::trace_event::store_string(@record, $location, $source);
                    ::kernel::trace_event::store(
                        ::core::ptr::addr_of_mut!((*@fields).$member),
                        $location,
                    );
                }
                ",
            ),
            Kind::Dynamic(_) => (
                "u32",
                "
                let $source: &[$element] = $value;
                let $location = @layout.place(::core::mem::size_of_val($source));
                ",
                "
                // SAFETY: The layout has room for the array.
                unsafe {
                    ::kernel::trace_event::store_array(@record, $location, $source);
                    ::kernel::trace_event::store(
                        ::core::ptr::addr_of_mut!((*@fields).$member),
                        $location,
                    );
                }
                ",
            ),
            // The value is a closure, so that a `return` in it does not leave a record behind.
            _ => (
                "$ty",
                "",
                "
                let @value: $ty = (|| -> $ty { $value })();
                // SAFETY: The record is ours to write.
                unsafe {
                    ::kernel::trace_event::store(
                        ::core::ptr::addr_of_mut!((*@fields).$member),
                        @value,
                    );
                }
                ",
            ),
        };
        let element = match &field.ty.kind {
            Kind::Dynamic(element) => element.tokens.clone(),
            _ => TokenStream::new(),
        };
        let at = span(&field.value);
        let hidden = Span::mixed_site().located_at(at);
        let values = [
            ("member", member(field)),
            ("ty", field.ty.tokens.clone()),
            ("element", element),
            ("value", field.value.clone()),
            ("source", own(&format!("source_{i}"), hidden)),
            ("location", own(&format!("location_{i}"), hidden)),
            ("before", before.0),
            ("before_type", before.1),
        ];

        members.extend(expand(at, &format!("$member: {member_type},"), &values));
        sources.extend(expand(at, source, &values));
        stores.extend(expand(at, store, &values));
        clears.extend(expand(
            at,
            "
            ::kernel::trace_event::clear(
                @record,
                ::core::mem::offset_of!(@Record, $before) + ::core::mem::size_of::<$before_type>(),
                ::core::mem::offset_of!(@Record, $member),
            );
            ",
            &values,
        ));
        before = (member(field), expand(at, member_type, &values));
        expressions.extend(field.value.clone());
    }

    let size = if class.fields.iter().any(Field::is_dynamic) {
        expand(
            class.name.span(),
            "
            let mut @layout = ::kernel::trace_event::Layout::new(
                ::core::mem::offset_of!(@Record, __data)
            );
            $sources
            let ::core::option::Option::Some(@size) =
                @layout.record_size(::core::mem::size_of::<@Record>())
            else {
                return;
            };
            ",
            &[("sources", sources)],
        )
    } else {
        expand(
            class.name.span(),
            "let @size = ::core::mem::size_of::<@Record>();",
            &[],
        )
    };

    expand(
        class.name.span(),
        "
        #[repr(C)]
        struct @Record {
            ent: ::kernel::bindings::trace_entry,
            $members
            __data: [u8; 0],
        }

        // This is safe so that it takes an `unsafe` block to be unsafe in the values of fields.
        #[inline(always)]
        fn @record(@sink: impl ::kernel::trace_event::Sink, $params) {
            $size
            let mut @state = ::core::mem::MaybeUninit::uninit();
            let @record = @sink.reserve(&mut @state, @size);

            if @record.is_null() {
                return;
            }

            let @fields = @record.cast::<@Record>();

            $stores
            // SAFETY: All of this is in the record. Behind the last field, and the arrays that
            // follow it, there is as much as behind the last field of `@Record`.
            unsafe {
                $clears
                ::kernel::trace_event::clear(
                    @record,
                    @size - (::core::mem::size_of::<@Record>()
                        - ::core::mem::offset_of!(@Record, __data)),
                    @size,
                );
            }
            // SAFETY: The record was reserved above.
            unsafe { @sink.commit(&mut @state, @record, @size) }
        }
        ",
        &[
            ("members", members),
            ("params", Args::used(class, &expressions).params),
            ("size", size),
            ("stores", stores),
            ("clears", clears),
        ],
    )
}

/// The event class and its probes.
fn event_class(class: &Class, args: &Args) -> TokenStream {
    let class_name = plain(&class.name);
    let at = class.name.span();
    let expressions = class
        .fields
        .iter()
        .map(|field| field.value.clone())
        .collect();
    let function = |prefix: &str| own(&format!("{prefix}{class_name}"), Span::mixed_site());
    let used = Args::used(class, &expressions);
    let run = ident(
        &format!("bpf_trace_run{}", args.count.max(1)),
        Span::mixed_site(),
    );
    // There is no function for no arguments.
    let bits = if args.count == 0 {
        expand(at, "0", &[])
    } else {
        args.bits.clone()
    };

    expand(
        at,
        "
        $types

        static mut @FIELDS: [::kernel::trace_event::Field; $count] = [
            $fields
            ::kernel::trace_event::Field::END,
        ];

        unsafe extern \"C\" fn $probe(@data: *mut ::kernel::ffi::c_void, $abi_params) {
            // SAFETY: The event core registers this with an event file.
            let @sink = unsafe { ::kernel::trace_event::TraceSink::new(@data) };

            if let ::core::option::Option::Some(@sink) = @sink {
                // SAFETY: Tracepoints pass what `into_abi` has returned, or its like in C.
                @record(@sink, $from_abi);
            }
        }

        #[cfg(CONFIG_PERF_EVENTS)]
        unsafe extern \"C\" fn $perf_probe(@data: *mut ::kernel::ffi::c_void, $abi_params) {
            // SAFETY: The event core registers this with an event.
            let @sink = unsafe { ::kernel::trace_event::PerfSink::new(@data) };

            if let ::core::option::Option::Some(@sink) = @sink {
                // SAFETY: As above.
                @record(@sink, $from_abi);
            }
        }

        #[cfg(CONFIG_BPF_EVENTS)]
        unsafe extern \"C\" fn $bpf_probe(@data: *mut ::kernel::ffi::c_void, $abi_params) {
            // SAFETY: BPF registers this with a link.
            unsafe { ::kernel::bindings::$run(@data.cast(), $bits) }
        }

        static mut @CLASS: ::kernel::bindings::trace_event_class = {
            #[cfg(CONFIG_PERF_EVENTS)]
            let @perf_probe = $perf_probe as *const ::kernel::ffi::c_void;
            #[cfg(not(CONFIG_PERF_EVENTS))]
            let @perf_probe = ::core::ptr::null();

            // SAFETY: Only addresses are taken.
            unsafe {
                ::kernel::trace_event::class(
                    ::core::ptr::addr_of!(@CLASS),
                    $system,
                    $probe as *const ::kernel::ffi::c_void,
                    @perf_probe,
                    ::core::ptr::addr_of!(@FIELDS).cast(),
                )
            }
        };
        ",
        &[
            ("types", field_types(class)),
            ("count", number(class.fields.len() + 1)),
            ("fields", fields(class)),
            ("probe", function("raw_event_")),
            ("perf_probe", function("perf_")),
            ("bpf_probe", function("bpf_")),
            ("abi_params", args.abi_params.clone()),
            ("from_abi", used.from_abi),
            ("run", run),
            ("bits", bits),
            ("system", c_string(&plain(&class.system))),
        ],
    )
}

/// The C names of the types of arrays, which have a length in them.
fn field_types(class: &Class) -> TokenStream {
    let mut tokens = TokenStream::new();

    for (i, field) in class.fields.iter().enumerate() {
        if let Kind::Array(element, len) = &field.ty.kind {
            let mut text = Text::default();

            text.push(&element.c_name());
            text.push("[");
            text.push_number(len);
            text.push("]");
            tokens.extend(text.into_static(&format!("TYPE_{i}"), false));
        }
    }
    tokens
}

/// The entries of the list of fields.
fn fields(class: &Class) -> TokenStream {
    let mut tokens = TokenStream::new();

    for (i, field) in class.fields.iter().enumerate() {
        let mut values = vec![("name", c_string(&plain(&field.name)))];
        let (template, ty) = match &field.ty.kind {
            Kind::String => {
                values.push(("c_type", c_string("__data_loc char[]")));
                (
                    "::kernel::trace_event::Field::dynamic(
                        <::kernel::ffi::c_char as ::kernel::trace_event::TraceField>::INFO,
                        $c_type,
                        $name,
                    ),",
                    &field.ty,
                )
            }
            Kind::Dynamic(element) => {
                let c_type = format!("__data_loc {}[]", element.c_name());

                values.push(("c_type", c_string(&c_type)));
                (
                    "::kernel::trace_event::Field::dynamic(
                        <$ty as ::kernel::trace_event::TraceField>::INFO,
                        $c_type,
                        $name,
                    ),",
                    &**element,
                )
            }
            Kind::Array(element, len) => {
                values.push(("len", len.clone()));
                values.push(("c_type", own(&format!("TYPE_{i}"), Span::mixed_site())));
                (
                    "::kernel::trace_event::Field::array(
                        <$ty as ::kernel::trace_event::TraceField>::INFO,
                        $c_type.as_ptr(),
                        $name,
                        $len,
                    ),",
                    &**element,
                )
            }
            _ => {
                values.push(("c_type", c_string(&field.ty.c_name())));
                (
                    "::kernel::trace_event::Field::scalar(
                        <$ty as ::kernel::trace_event::TraceField>::INFO,
                        $c_type,
                        $name,
                    ),",
                    &field.ty,
                )
            }
        };

        values.push(("ty", ty.tokens.clone()));
        tokens.extend(expand(span(&ty.tokens), template, &values));
    }
    tokens
}

/// The event itself.
fn event_call(class: &Class, event: &Event, args: &Args) -> TokenStream {
    let print_name = match &event.print {
        Some(_) => &event.name,
        None => &class.name,
    };
    let own_print = match &event.print {
        Some(print) => output(class, &event.name, print),
        None => TokenStream::new(),
    };

    expand(
        event.name.span(),
        "
        $own_print

        const _: () = {
            static mut @CALL: ::kernel::bindings::trace_event_call =
                // SAFETY: Only addresses are taken.
                unsafe {
                    ::kernel::trace_event::call(
                        ::core::ptr::addr_of!(@CLASS),
                        ::core::ptr::addr_of!($tracepoint),
                        ::core::ptr::addr_of!($functions),
                        ::core::ptr::addr_of!($print_fmt).cast(),
                    )
                };

            #[used(compiler)]
            #[link_section = \"_ftrace_events\"]
            static mut @ENTRY: *const ::kernel::bindings::trace_event_call =
                // SAFETY: As above.
                unsafe { ::core::ptr::addr_of!(@CALL) };

            #[cfg(CONFIG_BPF_EVENTS)]
            #[used(compiler)]
            #[link_section = \"__bpf_raw_tp_map\"]
            static mut @BPF_MAP: ::kernel::bindings::bpf_raw_event_map =
                ::kernel::trace_event::bpf_map(
                    // SAFETY: As above.
                    unsafe { ::core::ptr::addr_of!($tracepoint) },
                    $bpf_probe as *const ::kernel::ffi::c_void,
                    $count,
                );
        };
        ",
        &[
            ("own_print", own_print),
            ("tracepoint", name(event, "__tracepoint_", "")),
            ("functions", print_item("FUNCTIONS_", print_name)),
            ("print_fmt", print_item("PRINT_FMT_", print_name)),
            (
                "bpf_probe",
                own(&format!("bpf_{}", plain(&class.name)), Span::mixed_site()),
            ),
            ("count", number(args.count)),
        ],
    )
}

/// A name of one of the items that [`output`] makes.
fn print_item(prefix: &str, name: &Ident) -> TokenStream {
    own(&format!("{prefix}{}", plain(name)), Span::mixed_site())
}

/// Text as it is between quotes in C.
fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ => out.push(c),
        }
        out
    })
}

/// The function that prints a record, and the text that tells user space how to do the same.
fn output(class: &Class, name: &Ident, print: &Print) -> TokenStream {
    let mut conversions = Vec::new();
    // What printf() gets.
    let mut format = Text::default();
    // What user space gets.
    let mut print_fmt = Text::default();

    print_fmt.push(&format!("\"{}\", ", escape(&print.format.text)));
    // The tokens have been parsed without error before.
    for piece in format::parse(&print.format.text).unwrap_or_default() {
        match piece {
            Piece::Text(text) => format.push(&text),
            Piece::Conversion(conversion) => {
                let arg = &print.args[conversions.len()];

                push_conversion(&mut format, &conversion, class, arg);
                conversions.push(conversion);
            }
        }
    }
    format.push("\n");

    let mut items = TokenStream::new();
    let mut args = TokenStream::new();

    for (i, (conversion, arg)) in conversions.iter().zip(&print.args).enumerate() {
        let Some(field) = check::find(class, arg) else {
            continue;
        };

        if i != 0 {
            print_fmt.push(", ");
        }
        items.extend(size_check(conversion, arg, field, name));
        let keys = print_item(&format!("KEYS_{i}_"), name);
        items.extend(key_list(&keys, arg));
        push_print_fmt(&mut print_fmt, arg, field);
        args.extend(value(arg, field, keys));
    }

    let format_name = format!("FORMAT_{}", plain(name));
    let print_fmt_name = format!("PRINT_FMT_{}", plain(name));

    items.extend(format.into_static(&format_name, false));
    // The event core writes the values of enumerators into the text.
    items.extend(print_fmt.into_static(&print_fmt_name, true));
    items.extend(expand(
        name.span(),
        "
        unsafe extern \"C\" fn $function(
            @iter: *mut ::kernel::bindings::trace_iterator,
            @flags: ::kernel::ffi::c_int,
            @event: *mut ::kernel::bindings::trace_event,
        ) -> ::kernel::trace_event::print_line_t {
            // SAFETY: The event core passes an iterator that is at a record of this class.
            unsafe {
                let @result = ::kernel::bindings::trace_raw_output_prep(@iter, @event)
                    as ::kernel::bindings::print_line_t;

                if @result != ::kernel::bindings::print_line_t_TRACE_TYPE_HANDLED {
                    return ::kernel::trace_event::print_line_t::new(@result);
                }

                let @record = (*@iter).ent.cast::<::kernel::ffi::c_void>().cast_const();
                let @fields = @record.cast::<@Record>();

                ::kernel::bindings::trace_event_printf(@iter, $format.as_ptr().cast(), $args);
                ::kernel::trace_event::print_line_t::new(::kernel::bindings::trace_handle_return(
                    ::core::ptr::addr_of_mut!((*@iter).seq),
                ))
            }
        }

        static mut $functions: ::kernel::bindings::trace_event_functions =
            ::kernel::trace_event::functions($function);
        ",
        &[
            ("function", print_item("raw_output_", name)),
            ("format", print_item("FORMAT_", name)),
            ("args", args),
            ("functions", print_item("FUNCTIONS_", name)),
        ],
    ));
    items
}

/// Adds a conversion to the format string of printf().
fn push_conversion(format: &mut Text, conversion: &Conversion, class: &Class, arg: &PrintArg) {
    let text = &conversion.text;

    if let Some(Kind::Array(_, len)) = check::find(class, arg).map(|field| &field.ty.kind) {
        let plain = matches!(arg.how, How::Plain);

        if plain && conversion.kind == format::Kind::String && conversion.precision.is_none() {
            // Nothing says that there is a NUL in the array.
            format.push(&text[..text.len() - 1]);
            format.push(".");
            format.push_number(len);
            format.push("s");
            return;
        }
    }
    format.push(text);
}

/// Compares the sizes of a field and of what its conversion prints.
fn size_check(
    conversion: &Conversion,
    arg: &PrintArg,
    field: &Field,
    event: &Ident,
) -> TokenStream {
    if !matches!(arg.how, How::Plain) {
        return TokenStream::new();
    }

    let text = &conversion.text;
    let (condition, what) = match conversion.kind {
        format::Kind::Integer(width) => {
            let (condition, what) = match width {
                Width::Char => ("1, false", "integers of 1 byte"),
                Width::Short => ("2, false", "integers of up to 2 bytes"),
                Width::Int => ("4, false", "integers of up to 4 bytes"),
                Width::Long => (
                    "::core::mem::size_of::<::kernel::ffi::c_long>(), true",
                    "integers of the size of a `c_long`",
                ),
                Width::LongLong => ("8, true", "integers of 8 bytes"),
                Width::Size => (
                    "::core::mem::size_of::<usize>(), true",
                    "integers of the size of a `usize`",
                ),
            };

            (
                format!("<$ty as ::kernel::trace_event::TraceField>::INFO.fits({condition})"),
                what.to_string(),
            )
        }
        format::Kind::Char => (
            "<$ty as ::kernel::trace_event::TraceField>::INFO.fits(4, false)".to_string(),
            "characters".to_string(),
        ),
        format::Kind::Pointer => (
            "<$ty as ::kernel::trace_event::TraceField>::INFO.is_pointer()".to_string(),
            "pointers".to_string(),
        ),
        format::Kind::Memory(size) => (
            format!("::core::mem::size_of::<$ty>() >= {size}"),
            format!("arrays of {size} bytes"),
        ),
        // What has a precision is not cut at the end of the array, see `push_conversion`.
        format::Kind::String => match (conversion.precision, &field.ty.kind) {
            (Some(precision), Kind::Array(..)) => (
                format!("{precision} <= ::core::mem::size_of::<$ty>()"),
                format!("arrays of {precision} bytes"),
            ),
            _ => return TokenStream::new(),
        },
    };
    let message = format!(
        "`{text}` does not fit field `{}` of event `{event}`: it prints {what}",
        field.name
    );

    expand(
        arg.field.span(),
        &format!("const _: () = ::core::assert!({condition}, $message);"),
        &[
            ("ty", field.ty.tokens.clone()),
            ("message", string(&message)),
        ],
    )
}

/// The names of values.
fn key_list(list: &TokenStream, arg: &PrintArg) -> TokenStream {
    let keys = match &arg.how {
        How::Flags(_, keys) | How::Symbolic(keys) => keys,
        _ => return TokenStream::new(),
    };
    let entries = keys
        .iter()
        .map(|key| {
            expand(
                span(&key.value),
                "::kernel::trace_event::Key::new(($value) as i128, $name),",
                &[
                    ("value", key.value.clone()),
                    ("name", c_bytes(&key.name.text)),
                ],
            )
        })
        .collect();

    expand(
        arg.field.span(),
        "
        static $list: ::kernel::trace_event::Keys<$count> = ::kernel::trace_event::Keys::new([
            $entries
            ::kernel::trace_event::Key::END,
        ]);
        ",
        &[
            ("list", list.clone()),
            ("count", number(keys.len() + 1)),
            ("entries", entries),
        ],
    )
}

/// The values of all keys.
fn key_values(class: &Class) -> TokenStream {
    class
        .events
        .iter()
        .filter_map(|event| event.print.as_ref())
        .chain([&class.print])
        .flat_map(|print| &print.args)
        .flat_map(|arg| match &arg.how {
            How::Flags(_, keys) | How::Symbolic(keys) => keys.as_slice(),
            _ => &[],
        })
        .map(|key| {
            expand(
                span(&key.value),
                "const _: i128 = ($value) as i128;",
                &[("value", key.value.clone())],
            )
        })
        .collect()
}

/// Adds an argument of printf() as user space understands it.
fn push_print_fmt(text: &mut Text, arg: &PrintArg, field: &Field) {
    let name = plain(&field.name);
    let push_keys = |text: &mut Text, keys: &[super::parse::Key]| {
        for key in keys {
            text.push(", { ");
            match key.c_value() {
                Some(value) => text.push(&value),
                None => text.push_number(&key.value),
            }
            text.push(&format!(", \"{}\" }}", escape(&key.name.text)));
        }
        text.push(")");
    };

    match (&arg.how, &field.ty.kind) {
        (How::Plain, Kind::String) => text.push(&format!("__get_str({name})")),
        (How::Plain, _) => text.push(&format!("REC->{name}")),
        (How::Flags(delimiter, keys), _) => {
            let delimiter = escape(&delimiter.text);

            text.push(&format!("__print_flags(REC->{name}, \"{delimiter}\""));
            push_keys(text, keys);
        }
        (How::Symbolic(keys), _) => {
            text.push(&format!("__print_symbolic(REC->{name}"));
            push_keys(text, keys);
        }
        (How::Hex, Kind::Array(_, len)) => {
            text.push(&format!("__print_hex(REC->{name}, "));
            text.push_number(len);
            text.push(")");
        }
        (How::Hex, _) => text.push(&format!(
            "__print_hex(__get_dynamic_array({name}), __get_dynamic_array_len({name}))"
        )),
        (How::Array, Kind::Array(element, len)) => {
            text.push(&format!("__print_array(REC->{name}, "));
            text.push_number(len);
            text.push(", ");
            text.push_number(&size_of(&element.tokens));
            text.push(")");
        }
        (How::Array, Kind::Dynamic(element)) => {
            text.push(&format!(
                "__print_array(__get_dynamic_array({name}), __get_dynamic_array_len({name}) / "
            ));
            text.push_number(&size_of(&element.tokens));
            text.push(", ");
            text.push_number(&size_of(&element.tokens));
            text.push(")");
        }
        (How::Array, _) => {}
    }
}

fn size_of(ty: &TokenStream) -> TokenStream {
    expand(
        span(ty),
        "::core::mem::size_of::<$ty>()",
        &[("ty", ty.clone())],
    )
}

/// The argument of printf() for a field.
fn value(arg: &PrintArg, field: &Field, keys: TokenStream) -> TokenStream {
    // The value, or the address and the length of an array.
    let (scalar, address, len) = (
        "::kernel::trace_event::load(
            ::core::ptr::addr_of!((*@fields).$member)
                .cast::<<$ty as ::kernel::trace_event::TraceField>::Raw>(),
        )",
        if field.is_dynamic() {
            "::kernel::trace_event::array_address(
                @record,
                ::kernel::trace_event::load(::core::ptr::addr_of!((*@fields).$member)),
            )"
        } else {
            "::core::ptr::addr_of!((*@fields).$member).cast::<::kernel::ffi::c_void>()"
        },
        if field.is_dynamic() {
            "::kernel::trace_event::array_len(
                ::kernel::trace_event::load(::core::ptr::addr_of!((*@fields).$member)),
            )"
        } else {
            "::core::mem::size_of::<$ty>() as ::kernel::ffi::c_int"
        },
    );
    let number = format!(
        "<$ty as ::kernel::trace_event::TraceField>::into_u64({scalar}),
        ::core::mem::size_of::<$ty>()"
    );
    let template = match (&arg.how, &field.ty.kind) {
        (How::Plain, Kind::String | Kind::Array(..)) => format!("{address},"),
        (How::Plain, _) => {
            format!("<$ty as ::kernel::trace_event::TraceField>::promote({scalar}),")
        }
        (How::Flags(..), _) => {
            format!("::kernel::trace_event::print_flags(@iter, {number}, $delimiter, &$keys),")
        }
        (How::Symbolic(_), _) => {
            format!("::kernel::trace_event::print_symbolic(@iter, {number}, &$keys),")
        }
        (How::Hex, _) => format!("::kernel::trace_event::print_hex(@iter, {address}, {len}),"),
        (How::Array, _) => {
            format!(
                "::kernel::trace_event::print_array(
                    @iter,
                    {address},
                    {len},
                    ::core::mem::size_of::<$element>(),
                ),"
            )
        }
    };
    let element = match &field.ty.kind {
        Kind::Array(element, _) | Kind::Dynamic(element) => element.tokens.clone(),
        _ => TokenStream::new(),
    };
    let delimiter = match &arg.how {
        How::Flags(delimiter, _) => c_string(&delimiter.text),
        _ => TokenStream::new(),
    };

    expand(
        span(&field.ty.tokens),
        &template,
        &[
            ("member", member(field)),
            ("ty", field.ty.tokens.clone()),
            ("element", element),
            ("delimiter", delimiter),
            ("keys", keys),
        ],
    )
}

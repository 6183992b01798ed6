// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Trace events that are defined in Rust.
//!
//! [`trace_event!`] defines one event, as `TRACE_EVENT()` does in C, and [`trace_event_class!`]
//! several with the same arguments and record, as `DECLARE_EVENT_CLASS()` and `DEFINE_EVENT()` do.
//! To user space, and to probes, such an event is an event like any other.
//!
//! # Examples
//!
//! ```
//! use kernel::c_str;
//!
//! kernel::trace_event! {
//!     system: rust_doctest,
//!     /// A request was queued.
//!     fn rust_doctest_request(id: u32, name: &CStr, flags: u32, data: &[u8]),
//!     condition: id != 0,
//!     entry: {
//!         id: u32 = id,
//!         flags: u32 = flags,
//!         name: string = name,
//!         data: dynamic_array<u8> = data,
//!     },
//!     print: "id=%u name=%s flags=%s data=%s", id, name,
//!         flags(flags, "|", { 1: "READ", 2: "WRITE" }),
//!         hex(data),
//! }
//!
//! trace_rust_doctest_request(1, c_str!("disk"), 3, &[0xc0, 0xde]);
//! assert!(!trace_rust_doctest_request_enabled());
//! # #[cfg(CONFIG_EVENT_TRACING)]
//! # {
//! #     let system = c_str!("rust_doctest").as_char_ptr();
//! #     let event = c_str!("rust_doctest_request").as_char_ptr();
//! #     // SAFETY: These are C strings, and doctests may sleep.
//! #     let set = |on| unsafe { kernel::bindings::trace_set_clr_event(system, event, on) };
//! #
//! #     assert_eq!(set(1), 0);
//! #     assert!(trace_rust_doctest_request_enabled());
//! #     trace_rust_doctest_request(2, c_str!("disk"), 1, &[0xc0, 0xde]);
//! #     assert_eq!(set(0), 0);
//! #     assert!(!trace_rust_doctest_request_enabled());
//! # }
//! ```
//!
//! ```
//! kernel::trace_event_class! {
//!     system: rust_doctest,
//!     class rust_doctest_io(id: u32, len: usize),
//!     entry: {
//!         id: u32 = id,
//!         len: usize = len,
//!         state: u8 = if len == 0 { 0 } else { 1 },
//!     },
//!     print: "id=%u len=%zu %s", id, len, symbolic(state, { 0: "idle", 1: "busy" }),
//!     events: {
//!         /// A read was finished.
//!         fn rust_doctest_read,
//!         /// A write was finished.
//!         fn rust_doctest_write if len > 0,
//!         /// All writes were finished.
//!         fn rust_doctest_sync { print: "id=%u", id },
//!     },
//! }
//!
//! trace_rust_doctest_read(1, 512);
//! trace_rust_doctest_write(1, 0);
//! trace_rust_doctest_sync(1, 0);
//! assert!(!trace_rust_doctest_write_enabled());
//! ```
//!
//! C header: [`include/linux/trace_events.h`](srctree/include/linux/trace_events.h)
//!
//! [`trace_event!`]: crate::trace_event!
//! [`trace_event_class!`]: crate::trace_event_class!

#[cfg(CONFIG_EVENT_TRACING)]
use crate::ffi::c_ulong;
use crate::{
    bindings,
    ffi::{c_char, c_int, c_void},
    str::CStr,
};
use core::{
    mem::{align_of, size_of, MaybeUninit},
    ptr,
};

mod private {
    /// Seals [`TraceArg`](super::TraceArg): only this module can name it.
    pub struct Token;

    /// What C can pass in one argument: without padding, and of 8 bytes at most.
    pub trait Abi: Copy {}
}

/// Types of the arguments of trace events.
///
/// Probes are C functions, whichever language they are written in. An implementation says how
/// they see a value of the type. There are no others than those of this module.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a trace event",
    label = "unsupported type of an argument",
    note = "supported are integers, `bool`, raw pointers, `&T` and `Option<&T>` of sized types, \
            `&CStr`, `Option<&CStr>` and `&[T]`"
)]
pub trait TraceArg: Copy {
    /// Nobody else can have one: probes rely on what they are called with.
    #[doc(hidden)]
    const SEALED: private::Token;

    /// What probes see: a type that C can pass in one argument.
    type Abi: private::Abi;

    /// Converts the argument to what probes see.
    fn into_abi(self) -> Self::Abi;

    /// Converts back what a probe sees.
    ///
    /// # Safety
    ///
    /// `abi` must be a result of [`Self::into_abi`], or what C passes in its place, and what it
    /// points to must be valid as long as the result is used.
    unsafe fn from_abi(abi: Self::Abi) -> Self;
}

/// Types of the fields of trace events, and of the elements of their arrays.
///
/// # Safety
///
/// [`Self::Promoted`] must be the type that C passes to variadic functions for a type of the size
/// of `Self`, and `Self` must have no padding. [`Self::Raw`] must have the size of `Self`, and any
/// bytes must be a value of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a trace event",
    label = "unsupported type of a field",
    note = "supported are integers, `bool`, raw pointers, and of those `[T; N]` and \
            `dynamic_array<T>`; and `string`"
)]
pub unsafe trait TraceField: Copy + 'static {
    /// Whether values can be negative.
    const SIGNED: bool;
    /// Whether the type is a pointer.
    const POINTER: bool;
    /// What a field is read as. User space can write any bytes into it, by way of `inject`.
    #[doc(hidden)]
    type Raw;
    /// The type of the value as an argument of a variadic function.
    #[doc(hidden)]
    type Promoted;
    /// What there is to know about the type.
    #[doc(hidden)]
    const INFO: TypeInfo = TypeInfo {
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        signed: Self::SIGNED,
        pointer: Self::POINTER,
    };

    /// Converts a value for a variadic function.
    #[doc(hidden)]
    fn promote(raw: Self::Raw) -> Self::Promoted;

    /// Converts a value as C converts it to `u64`.
    #[doc(hidden)]
    fn into_u64(raw: Self::Raw) -> u64;
}

/// Facts about the type of a field.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct TypeInfo {
    size: usize,
    align: usize,
    signed: bool,
    pointer: bool,
}

impl TypeInfo {
    /// Whether an integer conversion fits: its size must be, or be at most, `size` bytes.
    pub const fn fits(self, size: usize, exact: bool) -> bool {
        !self.pointer && (self.size == size || (!exact && self.size < size))
    }

    /// Whether a conversion of pointers fits.
    pub const fn is_pointer(self) -> bool {
        self.pointer
    }
}

/// Sources of `string` fields: `&CStr`, `&str`, and `Option`s of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of a `string` field",
    label = "not a string",
    note = "supported are `&CStr`, `&str`, and `Option`s of them"
)]
pub trait StringSource<'a> {
    /// Returns the string without a NUL.
    fn into_bytes(self) -> &'a [u8];
}

macro_rules! impl_values {
    ($($ty:ty, $raw:ty, $promoted:ty, $signed:literal;)*) => {$(
        impl private::Abi for $ty {}

        impl TraceArg for $ty {
            const SEALED: private::Token = private::Token;
            type Abi = $ty;

            #[inline(always)]
            fn into_abi(self) -> $ty {
                self
            }

            #[inline(always)]
            unsafe fn from_abi(abi: $ty) -> $ty {
                abi
            }
        }

        // SAFETY: C passes what is narrower than an `int` as an `int`, and the rest as it is. Any
        // bytes are an integer.
        unsafe impl TraceField for $ty {
            const SIGNED: bool = $signed;
            const POINTER: bool = false;
            type Raw = $raw;
            type Promoted = $promoted;

            #[inline(always)]
            fn promote(raw: $raw) -> $promoted {
                raw as $promoted
            }

            #[inline(always)]
            fn into_u64(raw: $raw) -> u64 {
                raw as u64
            }
        }
    )*};
}

impl_values! {
    bool, u8, c_int, false;
    i8, i8, c_int, true;
    u8, u8, c_int, false;
    i16, i16, c_int, true;
    u16, u16, c_int, false;
    i32, i32, i32, true;
    u32, u32, u32, false;
    i64, i64, i64, true;
    u64, u64, u64, false;
    isize, isize, isize, true;
    usize, usize, usize, false;
}

macro_rules! impl_pointers {
    ($($pointer:ty),*) => {$(
        impl<T> private::Abi for $pointer {}

        impl<T> TraceArg for $pointer {
            const SEALED: private::Token = private::Token;
            type Abi = $pointer;

            #[inline(always)]
            fn into_abi(self) -> $pointer {
                self
            }

            #[inline(always)]
            unsafe fn from_abi(abi: $pointer) -> $pointer {
                abi
            }
        }

        // SAFETY: Pointers are passed as they are. Any bytes are a raw pointer.
        unsafe impl<T: 'static> TraceField for $pointer {
            const SIGNED: bool = false;
            const POINTER: bool = true;
            type Raw = $pointer;
            type Promoted = $pointer;

            #[inline(always)]
            fn promote(raw: $pointer) -> $pointer {
                raw
            }

            #[inline(always)]
            fn into_u64(raw: $pointer) -> u64 {
                raw as usize as u64
            }
        }
    )*};
}

impl_pointers!(*const T, *mut T);

impl<T> TraceArg for &T {
    const SEALED: private::Token = private::Token;
    type Abi = *const T;

    #[inline(always)]
    fn into_abi(self) -> *const T {
        self
    }

    #[inline(always)]
    unsafe fn from_abi(abi: *const T) -> Self {
        // SAFETY: The caller says that this comes from a reference.
        unsafe { &*abi }
    }
}

impl<T> TraceArg for Option<&T> {
    const SEALED: private::Token = private::Token;
    type Abi = *const T;

    #[inline(always)]
    fn into_abi(self) -> *const T {
        self.map_or(ptr::null(), |value| value)
    }

    #[inline(always)]
    unsafe fn from_abi(abi: *const T) -> Self {
        // SAFETY: The caller says that this is NULL or comes from a reference.
        unsafe { abi.as_ref() }
    }
}

impl TraceArg for &CStr {
    const SEALED: private::Token = private::Token;
    type Abi = *const c_char;

    #[inline(always)]
    fn into_abi(self) -> *const c_char {
        self.as_char_ptr()
    }

    #[inline(always)]
    unsafe fn from_abi(abi: *const c_char) -> Self {
        // SAFETY: The caller says that this comes from a string.
        unsafe { CStr::from_char_ptr(abi) }
    }
}

impl TraceArg for Option<&CStr> {
    const SEALED: private::Token = private::Token;
    type Abi = *const c_char;

    #[inline(always)]
    fn into_abi(self) -> *const c_char {
        self.map_or(ptr::null(), CStr::as_char_ptr)
    }

    #[inline(always)]
    unsafe fn from_abi(abi: *const c_char) -> Self {
        if abi.is_null() {
            None
        } else {
            // SAFETY: The caller says that this comes from a string if it is not NULL.
            Some(unsafe { CStr::from_char_ptr(abi) })
        }
    }
}

impl<'a> StringSource<'a> for &'a CStr {
    #[inline(always)]
    fn into_bytes(self) -> &'a [u8] {
        self.as_bytes()
    }
}

impl<'a> StringSource<'a> for &'a str {
    #[inline(always)]
    fn into_bytes(self) -> &'a [u8] {
        self.as_bytes()
    }
}

impl<'a, T: StringSource<'a>> StringSource<'a> for Option<T> {
    #[inline(always)]
    fn into_bytes(self) -> &'a [u8] {
        match self {
            Some(string) => string.into_bytes(),
            // What C records for NULL.
            None => b"(null)",
        }
    }
}

/// Copies a string into a character array, for a field of the type `[c_char; N]`.
///
/// What does not fit is cut off. The array ends with a NUL, and no byte of it is left undefined.
///
/// # Examples
///
/// ```
/// use kernel::{c_str, trace_event::char_array};
///
/// assert_eq!(char_array::<4>(c_str!("ab")), *b"ab\0\0");
/// assert_eq!(char_array::<4>(c_str!("abcdef")), *b"abc\0");
/// ```
#[inline]
pub fn char_array<const N: usize>(string: &CStr) -> [c_char; N] {
    let mut array = [0; N];

    for (to, from) in array
        .iter_mut()
        .take(N.saturating_sub(1))
        .zip(string.as_bytes())
    {
        *to = *from as c_char;
    }
    array
}

/// Rebuilds a slice from the two arguments that probes see.
///
/// # Safety
///
/// `data` must be valid for reads of `len` elements as long as the result is used; it may be NULL
/// if there are none.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn slice_from_abi<'a, T>(data: *const T, len: usize) -> &'a [T] {
    if len == 0 {
        // From C, this may be NULL.
        &[]
    } else {
        // SAFETY: The caller says that it is valid.
        unsafe { core::slice::from_raw_parts(data, len) }
    }
}

/// Converts an argument to what BPF programs see: its bits, and zeroes above.
#[doc(hidden)]
#[inline(always)]
pub fn bits<T: private::Abi>(value: T) -> u64 {
    let value = ptr::addr_of!(value);

    // SAFETY: These are reads of as many bytes as there are, none of which is padding: `T` is an
    // integer, a `bool` or a pointer.
    unsafe {
        match size_of::<T>() {
            1 => value.cast::<u8>().read() as u64,
            2 => value.cast::<u16>().read_unaligned() as u64,
            4 => value.cast::<u32>().read_unaligned() as u64,
            8 => value.cast::<u64>().read_unaligned(),
            _ => crate::build_error!("an argument of a trace event is wider than 8 bytes"),
        }
    }
}

/// Enters a tracepoint; [`tracepoint_exit`] has to follow if the result is not NULL.
///
/// The result is the array of probes, which ends with an entry without function. It is never
/// empty, and stays valid until the exit.
///
/// # Safety
///
/// `tracepoint` must be valid.
#[doc(hidden)]
#[cfg(CONFIG_TRACEPOINTS)]
#[inline(always)]
pub unsafe fn tracepoint_enter(
    tracepoint: *const bindings::tracepoint,
) -> *const bindings::tracepoint_func {
    // SAFETY: The caller says that the tracepoint is valid.
    unsafe { bindings::tracepoint_enter(tracepoint.cast_mut()) }
}

/// Leaves a tracepoint.
///
/// # Safety
///
/// [`tracepoint_enter`] must have returned probes, which must not be used any more.
#[doc(hidden)]
#[cfg(CONFIG_TRACEPOINTS)]
#[inline(always)]
pub unsafe fn tracepoint_exit() {
    // SAFETY: The caller says that the tracepoint was entered.
    unsafe { bindings::tracepoint_exit() }
}

/// Makes a tracepoint without probes.
#[doc(hidden)]
pub const fn tracepoint(
    name: *const u8,
    iterator: *const c_void,
    probestub: *const c_void,
) -> bindings::tracepoint {
    // SAFETY: All zeroes are a tracepoint with a key that is disabled.
    let mut tracepoint: bindings::tracepoint = unsafe { core::mem::zeroed() };

    tracepoint.name = name.cast();
    // The trampoline of a static call is assembler text that C macros write. Without one,
    // tracepoint_update_call() has nothing to do, as for synthetic events, and the probes are
    // called one after the other from the array.
    tracepoint.static_call_key = ptr::null_mut();
    tracepoint.iterator = iterator.cast_mut();
    tracepoint.probestub = probestub.cast_mut();
    tracepoint
}

/// An entry of the list of tracepoints, where it has no relative addresses.
#[doc(hidden)]
#[repr(transparent)]
pub struct TracepointPtr(pub *const bindings::tracepoint);

// SAFETY: This is a constant.
unsafe impl Sync for TracepointPtr {}

/// Makes an entry of the table of tracepoints that BPF programs can be attached to.
#[doc(hidden)]
#[cfg(CONFIG_BPF_EVENTS)]
pub const fn bpf_map(
    tracepoint: *const bindings::tracepoint,
    probe: *const c_void,
    num_args: u32,
) -> bindings::bpf_raw_event_map {
    bindings::bpf_raw_event_map {
        tp: tracepoint.cast_mut(),
        bpf_func: probe.cast_mut(),
        num_args,
        writable_size: 0,
    }
}

/// Counterpart of `struct trace_event_fields`, which has a bit field.
#[doc(hidden)]
#[repr(C)]
pub struct Field {
    ty: *const c_char,
    name: *const c_char,
    size: c_int,
    align: c_int,
    is_signed: [u8; 4],
    filter_type: c_int,
    len: c_int,
}

const _: () = {
    use bindings::trace_event_fields__bindgen_ty_1__bindgen_ty_1 as Inner;
    use core::mem::offset_of;

    let inner = offset_of!(Field, name);

    assert!(size_of::<Field>() == size_of::<bindings::trace_event_fields>());
    assert!(offset_of!(Field, size) == inner + offset_of!(Inner, size));
    assert!(offset_of!(Field, is_signed) == inner + offset_of!(Inner, _bitfield_1));
    assert!(offset_of!(Field, filter_type) == inner + offset_of!(Inner, filter_type));
    assert!(offset_of!(Field, len) == inner + offset_of!(Inner, len));
};

impl Field {
    /// The entry that ends a list of fields.
    pub const END: Self = Self {
        ty: ptr::null(),
        name: ptr::null(),
        size: 0,
        align: 0,
        is_signed: [0; 4],
        filter_type: 0,
        len: 0,
    };

    const fn new(info: TypeInfo, ty: *const u8, name: *const u8) -> Self {
        // The first of the bits.
        let first = if cfg!(target_endian = "big") { 0x80 } else { 1 };

        Self {
            ty: ty.cast(),
            name: name.cast(),
            size: info.size as c_int,
            align: info.align as c_int,
            is_signed: [if info.signed { first } else { 0 }, 0, 0, 0],
            filter_type: bindings::FILTER_OTHER as c_int,
            len: 0,
        }
    }

    /// Describes a value.
    pub const fn scalar(info: TypeInfo, ty: *const u8, name: *const u8) -> Self {
        Self::new(info, ty, name)
    }

    /// Describes an array that is part of the record.
    pub const fn array(info: TypeInfo, ty: *const u8, name: *const u8, len: usize) -> Self {
        let mut field = Self::new(info, ty, name);

        field.size = (info.size * len) as c_int;
        field.len = len as c_int;
        field
    }

    /// Describes an array that follows the record; the record has a word that says where.
    pub const fn dynamic(info: TypeInfo, ty: *const u8, name: *const u8) -> Self {
        let mut field = Self::new(info, ty, name);

        field.size = size_of::<u32>() as c_int;
        field.align = size_of::<u32>() as c_int;
        field
    }
}

/// Makes an event class. `this` is the class itself, and needs no initialized memory.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub const fn class(
    this: *const bindings::trace_event_class,
    system: *const u8,
    probe: *const c_void,
    _perf_probe: *const c_void,
    fields: *const Field,
) -> bindings::trace_event_class {
    // SAFETY: All zeroes are a class in which nothing is set.
    let mut class: bindings::trace_event_class = unsafe { core::mem::zeroed() };
    // An empty list points at itself.
    let list = this
        .cast::<u8>()
        .wrapping_add(core::mem::offset_of!(bindings::trace_event_class, fields))
        .cast::<bindings::list_head>()
        .cast_mut();

    class.system = system.cast();
    class.probe = probe.cast_mut();
    #[cfg(CONFIG_PERF_EVENTS)]
    {
        class.perf_probe = _perf_probe.cast_mut();
    }
    class.reg = Some(bindings::trace_event_reg);
    class.fields_array = fields.cast_mut().cast();
    class.fields = bindings::list_head {
        next: list,
        prev: list,
    };
    class.raw_init = Some(bindings::trace_event_raw_init);
    class
}

/// What output functions return.
///
/// It has to be an `enum` of this name: with `CONFIG_CFI_CLANG`, the name is in the type that C
/// expects of the functions it calls, and the integer of the bindings would not do.
#[doc(hidden)]
#[allow(non_camel_case_types)]
#[repr(C)]
pub enum print_line_t {
    Partial = bindings::print_line_t_TRACE_TYPE_PARTIAL_LINE as isize,
    Handled = bindings::print_line_t_TRACE_TYPE_HANDLED as isize,
    Unhandled = bindings::print_line_t_TRACE_TYPE_UNHANDLED as isize,
    NoConsume = bindings::print_line_t_TRACE_TYPE_NO_CONSUME as isize,
}

impl print_line_t {
    /// Converts what C functions return.
    #[inline(always)]
    pub fn new(value: bindings::print_line_t) -> Self {
        match value {
            bindings::print_line_t_TRACE_TYPE_PARTIAL_LINE => Self::Partial,
            bindings::print_line_t_TRACE_TYPE_HANDLED => Self::Handled,
            bindings::print_line_t_TRACE_TYPE_NO_CONSUME => Self::NoConsume,
            _ => Self::Unhandled,
        }
    }
}

/// A function that prints a record, as Rust and as C see it.
type Output<R> =
    unsafe extern "C" fn(*mut bindings::trace_iterator, c_int, *mut bindings::trace_event) -> R;

/// Makes the table of output functions of events.
#[doc(hidden)]
pub const fn functions(output: Output<print_line_t>) -> bindings::trace_event_functions {
    // SAFETY: An `enum` with `repr(C)` is passed as the integer that C takes for it.
    let output = unsafe {
        core::mem::transmute::<Output<print_line_t>, Output<bindings::print_line_t>>(output)
    };

    bindings::trace_event_functions {
        trace: Some(output),
        raw: None,
        hex: None,
        binary: None,
    }
}

/// Makes an event.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub const fn call(
    class: *const bindings::trace_event_class,
    tracepoint: *const bindings::tracepoint,
    functions: *const bindings::trace_event_functions,
    print_fmt: *const u8,
) -> bindings::trace_event_call {
    // SAFETY: All zeroes are an event in which nothing is set.
    let mut call: bindings::trace_event_call = unsafe { core::mem::zeroed() };

    call.class = class.cast_mut();
    call.__bindgen_anon_1.tp = tracepoint.cast_mut();
    call.event.funcs = functions.cast_mut();
    call.print_fmt = print_fmt.cast_mut().cast();
    call.flags = bindings::TRACE_EVENT_FL_TRACEPOINT as c_int;
    call
}

/// Where a probe puts its record.
///
/// # Safety
///
/// What [`Self::reserve`] returns must be NULL, or valid for writes of `len` bytes and aligned for
/// a record until [`Self::commit`] is called.
#[doc(hidden)]
pub unsafe trait Sink: Copy {
    /// What has to be kept between reserving a record and committing it.
    type State;

    /// Reserves a record of `len` bytes and returns its address, or NULL.
    fn reserve(self, state: &mut MaybeUninit<Self::State>, len: usize) -> *mut c_void;

    /// Commits a record.
    ///
    /// # Safety
    ///
    /// `record` must come from [`Self::reserve`] with the same arguments, must have been written,
    /// and is gone afterwards.
    unsafe fn commit(self, state: &mut MaybeUninit<Self::State>, record: *mut c_void, len: usize);
}

/// The ring buffer of a trace instance.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
#[derive(Clone, Copy)]
pub struct TraceSink(*mut bindings::trace_event_file);

#[cfg(CONFIG_EVENT_TRACING)]
impl TraceSink {
    /// Returns the sink for the data of a probe, unless nothing is to be recorded.
    ///
    /// # Safety
    ///
    /// `data` must be the `struct trace_event_file` that the probe was registered with.
    #[inline(always)]
    pub unsafe fn new(data: *mut c_void) -> Option<Self> {
        let file = data.cast::<bindings::trace_event_file>();
        // SAFETY: The caller says what this is. The flags are atomic.
        let flags = unsafe { ptr::addr_of!((*file).flags).read_volatile() };
        let unusual = bindings::EVENT_FILE_FL_TRIGGER_MODE
            | bindings::EVENT_FILE_FL_SOFT_DISABLED
            | bindings::EVENT_FILE_FL_PID_FILTER;

        if flags & unusual as c_ulong != 0 && Self::soft_disabled(file, flags) {
            return None;
        }
        Some(Self(file))
    }

    /// As `trace_trigger_soft_disabled()`, which is inline and says why.
    #[cold]
    fn soft_disabled(file: *mut bindings::trace_event_file, flags: c_ulong) -> bool {
        flags & bindings::EVENT_FILE_FL_TRIGGER_COND as c_ulong == 0
            // SAFETY: The file is that of `new`.
            && unsafe { bindings::__trace_trigger_soft_disabled(file) }
    }
}

// SAFETY: The ring buffer leaves a reserved record to who has reserved it until the commit.
#[cfg(CONFIG_EVENT_TRACING)]
unsafe impl Sink for TraceSink {
    type State = bindings::trace_event_buffer;

    #[inline(always)]
    fn reserve(self, state: &mut MaybeUninit<Self::State>, len: usize) -> *mut c_void {
        // SAFETY: The file is valid, and the state is what this initializes.
        unsafe { bindings::trace_event_buffer_reserve(state.as_mut_ptr(), self.0, len as c_ulong) }
    }

    #[inline(always)]
    unsafe fn commit(
        self,
        state: &mut MaybeUninit<Self::State>,
        _record: *mut c_void,
        _len: usize,
    ) {
        // SAFETY: The caller says that the record is reserved.
        unsafe { bindings::trace_event_buffer_commit(state.as_mut_ptr()) }
    }
}

/// The perf events, and the BPF programs, that are attached to an event.
#[doc(hidden)]
#[cfg(all(CONFIG_EVENT_TRACING, CONFIG_PERF_EVENTS))]
#[derive(Clone, Copy)]
pub struct PerfSink {
    call: *mut bindings::trace_event_call,
    head: *mut bindings::hlist_head,
}

#[cfg(all(CONFIG_EVENT_TRACING, CONFIG_PERF_EVENTS))]
impl PerfSink {
    /// Returns the sink for the data of a probe, unless nobody wants the event on this CPU.
    ///
    /// # Safety
    ///
    /// `data` must be the `struct trace_event_call` that the probe was registered with, and
    /// preemption must be disabled as long as the result is used.
    #[inline(always)]
    pub unsafe fn new(data: *mut c_void) -> Option<Self> {
        let call = data.cast();
        // SAFETY: The caller says what this is.
        let head = unsafe { bindings::perf_trace_head(call) };

        if head.is_null() {
            return None;
        }
        Some(Self { call, head })
    }

    /// A record and the size that perf puts before it end on a multiple of eight bytes.
    #[inline(always)]
    fn size(len: usize) -> c_int {
        ((len + size_of::<u32>()).next_multiple_of(8) - size_of::<u32>()) as c_int
    }
}

// SAFETY: The buffer belongs to the context on this CPU until the commit.
#[cfg(all(CONFIG_EVENT_TRACING, CONFIG_PERF_EVENTS))]
unsafe impl Sink for PerfSink {
    type State = (*mut bindings::pt_regs, c_int);

    #[inline(always)]
    fn reserve(self, state: &mut MaybeUninit<Self::State>, len: usize) -> *mut c_void {
        let (regs, context) = state.write((ptr::null_mut(), 0));

        // SAFETY: What the two pointers are to is written to.
        unsafe { bindings::perf_trace_reserve(Self::size(len), regs, context) }
    }

    #[inline(always)]
    unsafe fn commit(self, state: &mut MaybeUninit<Self::State>, record: *mut c_void, len: usize) {
        // SAFETY: `reserve` has written the state, and the caller says that the record is reserved.
        unsafe {
            let (regs, context) = state.assume_init();

            bindings::perf_trace_run_bpf_submit(
                record,
                Self::size(len),
                context,
                self.call,
                1,
                regs,
                self.head,
                ptr::null_mut(),
            );
        }
    }
}

/// Places the dynamic arrays of a record.
#[doc(hidden)]
pub struct Layout {
    start: u64,
    end: u64,
}

impl Layout {
    /// Starts at the offset in the record where the first array goes.
    #[inline(always)]
    pub fn new(start: usize) -> Self {
        let start = start as u64;

        Self { start, end: start }
    }

    /// Places an array of `len` bytes, and returns the word that says where it is.
    #[inline(always)]
    pub fn place(&mut self, len: usize) -> u32 {
        let offset = self.end;

        // With 64 bits, no number of arguments overflows this.
        self.end += len as u64;
        (offset as u32) | ((len as u32) << 16)
    }

    /// Returns the size of a record with these arrays, unless their offsets do not fit 16 bits.
    ///
    /// `size` is the size without arrays. Padding at its end follows the arrays, as in C.
    #[inline(always)]
    pub fn record_size(&self, size: usize) -> Option<usize> {
        if self.end > u16::MAX as u64 {
            return None;
        }
        Some(size + (self.end - self.start) as usize)
    }
}

/// Whether records are aligned for all types; otherwise their alignment is 4.
const ALIGNED: bool = cfg!(CONFIG_HAVE_64BIT_ALIGNED_ACCESS);

/// Writes a field.
///
/// # Safety
///
/// `field` must be a field of a record that is valid for writes.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn store<T>(field: *mut T, value: T) {
    // SAFETY: The caller says that this is a field, so its alignment is 4 or that of its type.
    unsafe {
        if ALIGNED || align_of::<T>() <= 4 {
            field.write(value)
        } else {
            field.write_unaligned(value)
        }
    }
}

/// Reads a field.
///
/// # Safety
///
/// `field` must be a field of a record that is valid for reads, and any bytes must be a value of
/// its type.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn load<T>(field: *const T) -> T {
    // SAFETY: As in `store`.
    unsafe {
        if ALIGNED || align_of::<T>() <= 4 {
            field.read()
        } else {
            field.read_unaligned()
        }
    }
}

/// Clears what is between two fields. The compiler knows both offsets: mostly they are the same.
///
/// # Safety
///
/// `record` must be valid for writes up to the offset `end`.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn clear(record: *mut c_void, start: usize, end: usize) {
    if start < end {
        // SAFETY: The caller says that this is in the record.
        unsafe { ptr::write_bytes(record.cast::<u8>().add(start), 0, end - start) }
    }
}

/// Writes a dynamic array.
///
/// # Safety
///
/// `record` must be valid for writes where `location` says that the array is, which must have
/// come from [`Layout::place`] for `source`.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn store_array<T>(record: *mut c_void, location: u32, source: &[T]) {
    // SAFETY: The caller says that there is room for it.
    unsafe {
        ptr::copy_nonoverlapping(
            source.as_ptr().cast::<u8>(),
            record.cast::<u8>().add((location & 0xffff) as usize),
            core::mem::size_of_val(source),
        )
    }
}

/// Writes a string and a NUL.
///
/// # Safety
///
/// As for [`store_array`], with an array that is one byte longer than `source`.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn store_string(record: *mut c_void, location: u32, source: &[u8]) {
    // SAFETY: As in `store_array`.
    unsafe {
        let to = record.cast::<u8>().add((location & 0xffff) as usize);

        ptr::copy_nonoverlapping(source.as_ptr(), to, source.len());
        to.add(source.len()).write(0);
    }
}

/// Returns the address of the dynamic array of a record.
#[doc(hidden)]
#[inline(always)]
pub fn array_address(record: *const c_void, location: u32) -> *const c_void {
    record
        .cast::<u8>()
        .wrapping_add((location & 0xffff) as usize)
        .cast()
}

/// Returns the length of a dynamic array in bytes.
#[doc(hidden)]
#[inline(always)]
pub fn array_len(location: u32) -> c_int {
    (location >> 16) as c_int
}

/// A value and its name, a C string, as a constant for [`print_flags`] and [`print_symbolic`].
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub struct Key(i128, Option<&'static [u8]>);

/// A list of [`Key`]s in the form that C wants: only the last one has no name.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub struct Keys<const N: usize> {
    #[cfg(not(CONFIG_64BIT))]
    wide: [bindings::trace_print_flags_u64; N],
    keys: [bindings::trace_print_flags; N],
}

// SAFETY: This is constant, and the names are as well.
#[cfg(CONFIG_EVENT_TRACING)]
unsafe impl<const N: usize> Sync for Keys<N> {}

#[cfg(CONFIG_EVENT_TRACING)]
impl Key {
    /// Names a value. The name must end with a NUL.
    pub const fn new(value: i128, name: &'static [u8]) -> Self {
        assert!(matches!(name, [.., 0]), "the name of a value has no NUL");
        Self(value, Some(name))
    }

    /// Ends a list.
    pub const END: Self = Self(-1, None);

    const fn name(&self) -> *const c_char {
        match self.1 {
            Some(name) => name.as_ptr().cast(),
            None => ptr::null(),
        }
    }
}

#[cfg(CONFIG_EVENT_TRACING)]
impl<const N: usize> Keys<N> {
    /// Converts a list of keys, which must end with [`Key::END`].
    pub const fn new(list: [Key; N]) -> Self {
        const KEY: bindings::trace_print_flags = bindings::trace_print_flags {
            mask: 0,
            name: ptr::null(),
        };
        let mut keys = [KEY; N];
        let mut i = 0;

        assert!(
            N != 0 && list[N - 1].1.is_none(),
            "a list of values has no end"
        );
        while i < N {
            keys[i].mask = list[i].0 as c_ulong;
            keys[i].name = list[i].name();
            i += 1;
        }
        #[cfg(not(CONFIG_64BIT))]
        {
            const WIDE: bindings::trace_print_flags_u64 = bindings::trace_print_flags_u64 {
                mask: 0,
                name: ptr::null(),
            };
            let mut wide = [WIDE; N];

            i = 0;
            while i < N {
                wide[i].mask = list[i].0 as u64;
                wide[i].name = list[i].name();
                i += 1;
            }
            Self { wide, keys }
        }
        #[cfg(CONFIG_64BIT)]
        Self { keys }
    }
}

/// Writes the names of flags into the text buffer of an iterator.
///
/// # Safety
///
/// `iter` must be valid, and `delimiter` must be a C string.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub unsafe fn print_flags<const N: usize>(
    iter: *mut bindings::trace_iterator,
    value: u64,
    _size: usize,
    delimiter: *const u8,
    keys: &'static Keys<N>,
) -> *const c_char {
    // SAFETY: The caller says that the pointers are valid, and the list of keys has an end.
    unsafe {
        let seq = ptr::addr_of_mut!((*iter).tmp_seq);
        let delimiter = delimiter.cast();

        #[cfg(not(CONFIG_64BIT))]
        if _size == 8 {
            let keys = keys.wide.as_ptr();

            return bindings::trace_print_flags_seq_u64(seq, delimiter, value, keys);
        }
        bindings::trace_print_flags_seq(seq, delimiter, value as c_ulong, keys.keys.as_ptr())
    }
}

/// Writes the name of a value into the text buffer of an iterator.
///
/// # Safety
///
/// `iter` must be valid.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub unsafe fn print_symbolic<const N: usize>(
    iter: *mut bindings::trace_iterator,
    value: u64,
    _size: usize,
    keys: &'static Keys<N>,
) -> *const c_char {
    // SAFETY: The caller says that the iterator is valid, and the list of keys has an end.
    unsafe {
        let seq = ptr::addr_of_mut!((*iter).tmp_seq);

        #[cfg(not(CONFIG_64BIT))]
        if _size == 8 {
            let keys = keys.wide.as_ptr();

            return bindings::trace_print_symbols_seq_u64(seq, value, keys);
        }
        bindings::trace_print_symbols_seq(seq, value as c_ulong, keys.keys.as_ptr())
    }
}

/// Writes bytes as hexadecimal numbers into the text buffer of an iterator.
///
/// # Safety
///
/// `iter` must be valid, and `data` must be valid for reads of `len` bytes.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub unsafe fn print_hex(
    iter: *mut bindings::trace_iterator,
    data: *const c_void,
    len: c_int,
) -> *const c_char {
    // SAFETY: The caller says that the pointers are valid.
    unsafe {
        let seq = ptr::addr_of_mut!((*iter).tmp_seq);

        bindings::trace_print_hex_seq(seq, data.cast(), len, false)
    }
}

/// Writes an array of elements of `size` bytes into the text buffer of an iterator.
///
/// # Safety
///
/// `iter` must be valid, and `data` must be valid for reads of `len` bytes.
#[doc(hidden)]
#[cfg(CONFIG_EVENT_TRACING)]
pub unsafe fn print_array(
    iter: *mut bindings::trace_iterator,
    data: *const c_void,
    len: c_int,
    size: usize,
) -> *const c_char {
    // SAFETY: The caller says that the pointers are valid.
    unsafe {
        let seq = ptr::addr_of_mut!((*iter).tmp_seq);

        bindings::trace_print_array_seq(seq, data, len / size as c_int, size)
    }
}

/// A part of a text that is put together by the compiler.
#[doc(hidden)]
pub enum Text {
    /// A text.
    Text(&'static str),
    /// A number, to be written in decimal.
    Number(i128),
}

impl Text {
    const fn len(&self) -> usize {
        match self {
            Text::Text(text) => text.len(),
            Text::Number(number) => {
                let mut rest = number.unsigned_abs() / 10;
                let mut len = 1 + (*number < 0) as usize;

                while rest != 0 {
                    rest /= 10;
                    len += 1;
                }
                len
            }
        }
    }
}

/// Returns the length of a text, with a NUL.
#[doc(hidden)]
pub const fn text_size(parts: &[Text]) -> usize {
    let mut size = 1;
    let mut i = 0;

    while i < parts.len() {
        size += parts[i].len();
        i += 1;
    }
    size
}

/// Puts a text together, with a NUL.
#[doc(hidden)]
pub const fn text<const SIZE: usize>(parts: &[Text]) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    let mut start = 0;
    let mut i = 0;

    while i < parts.len() {
        let end = start + parts[i].len();

        match &parts[i] {
            Text::Text(text) => {
                let text = text.as_bytes();
                let mut j = 0;

                while j < text.len() {
                    bytes[start + j] = text[j];
                    j += 1;
                }
            }
            Text::Number(number) => {
                let first = start + (*number < 0) as usize;
                let mut rest = number.unsigned_abs();
                let mut j = end;

                bytes[start] = b'-';
                while j > first {
                    j -= 1;
                    bytes[j] = b'0' + (rest % 10) as u8;
                    rest /= 10;
                }
            }
        }
        start = end;
        i += 1;
    }
    bytes
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Rust sample of a hook for modules of vendors.
//!
//! The hook is a tracepoint without an event in the function that opens `/dev/rust-vendor-hook`. A
//! probe may change the result; `rust_vendor_probe` has one.

use kernel::{
    error::to_result,
    ffi::c_int,
    fs::File,
    miscdevice::{
        MiscDevice,
        MiscDeviceOptions,
        MiscDeviceRegistration, //
    },
    prelude::*,
};

module! {
    type: RustVendorHook,
    name: "rust_vendor_hook",
    authors: ["The static-key tracepoints developers"],
    description: "Rust sample of a hook for vendors",
    license: "GPL",
}

kernel::tracepoint! {
    system: rust_sample,

    /// The device is being opened, by the process `pid`; a probe may set `result` to an error.
    #[export]
    fn rust_sample_open(pid: u32, result: &mut c_int),
}

/// Whoever has opened the device.
struct Opened;

#[vtable]
impl MiscDevice for Opened {
    type Ptr = KBox<Self>;

    fn open(_file: &File, _misc: &MiscDeviceRegistration<Self>) -> Result<KBox<Self>> {
        let mut result = 0;

        trace_rust_sample_open_tp(current!().pid() as u32, &mut result);
        to_result(result)?;
        Ok(KBox::new(Self, GFP_KERNEL)?)
    }
}

#[pin_data]
struct RustVendorHook {
    #[pin]
    device: MiscDeviceRegistration<Opened>,
}

impl kernel::InPlaceModule for RustVendorHook {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            device <- MiscDeviceRegistration::register(MiscDeviceOptions {
                name: c"rust-vendor-hook",
            }),
        })
    }
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Trace events of the driver.
//!
//! They show a disk by its device number, and a request by disk and sector, as the events of the
//! block layer do, which have the operation, the size and the error of the same request.

use super::{configfs::IRQMode, NullBlkDevice};
use kernel::{block::mq::Request, prelude::*};

kernel::trace_event! {
    system: rnull,

    /// A disk was added. The fields are the attributes of its directory in configfs.
    pub(crate) fn rnull_add_disk(
        dev: u32,
        name: &CStr,
        block_size: u32,
        capacity_mib: u64,
        rotational: bool,
        irq_mode: IRQMode,
    ),
    entry: {
        size: u64 = capacity_mib,
        dev: u32,
        blocksize: u32 = block_size,
        name: string,
        rotational: bool,
        irqmode: u8 = irq_mode as u8,
    },
    print: "%u,%u name=%s blocksize=%u size=%llu rotational=%d irqmode=%s", major(dev), minor(dev),
        name, blocksize, size, rotational, symbolic(irqmode, { 0: "none", 1: "softirq" }),
}

kernel::trace_event! {
    /// A disk is about to be removed. Its device number can be that of another disk afterwards.
    pub(crate) fn rnull_del_disk(dev: u32),
    entry: {
        dev: u32,
    },
    print: "%u,%u", major(dev), minor(dev),
}

kernel::trace_event! {
    /// The block layer has passed a request to the driver; if `last` is false, it has another one.
    pub(crate) fn rnull_queue_rq(rq: &Request<NullBlkDevice>, last: bool),
    entry: {
        sector: u64 = rq.sector(),
        dev: u32 = rq.dev(),
        tag: u32 = rq.tag(),
        last: bool,
    },
    print: "%u,%u sector=%llu tag=%u last=%d", major(dev), minor(dev), sector, tag, last,
}

kernel::trace_event! {
    /// The driver is about to end a request of a disk with this `irq_mode`. With `IRQMode::Soft`,
    /// the block layer chooses the CPU and the context, which every record has.
    pub(crate) fn rnull_complete_rq(rq: &Request<NullBlkDevice>, irq_mode: IRQMode),
    entry: {
        sector: u64 = rq.sector(),
        dev: u32 = rq.dev(),
        tag: u32 = rq.tag(),
        irqmode: u8 = irq_mode as u8,
    },
    print: "%u,%u sector=%llu tag=%u irqmode=%s", major(dev), minor(dev), sector, tag,
        symbolic(irqmode, { 0: "none", 1: "softirq" }),
}

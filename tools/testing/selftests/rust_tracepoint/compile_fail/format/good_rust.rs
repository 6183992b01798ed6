// SPDX-License-Identifier: GPL-2.0

//! Constants and literals have the same types in C. This must compile.

/// What is recorded in one byte.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Dir {
    /// From the device.
    In = 1,
    /// To the device.
    Out = 2,
}

const PAGE_MASK: u64 = !0xfff;
const BIG: u64 = u64::MAX;
const SMALL: u64 = 4096;
const NEGATIVE: i64 = -1;
const LEAST: i64 = i64::MIN;
const SECTOR: u32 = 512;
const YES: bool = true;
const SIZE: usize = 8;

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_constants(iova: u64, len: u32, dir: Dir, name: &kernel::str::CStr),
    entry: { iova: u64, len: u32, dir: u8 = dir as u8, name: string },
    print: "%llx %u %s %llu %lld %lld %llu %llu %u %d %zu %llu %s %u %u", iova & PAGE_MASK, len,
        name, SMALL, NEGATIVE, LEAST, 1u64 << 40, iova * BIG, len / SECTOR, YES, SIZE,
        iova % SMALL, if dir == Dir::In as u8 { "in" } else { "out" }, len & 0xffff_ffffu32,
        Dir::Out as u8,
}

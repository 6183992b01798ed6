// SPDX-License-Identifier: GPL-2.0

//! Only static keys have static branches.

use kernel::static_branch_unlikely;

static NUMBER: u32 = 0;

/// Tests it.
pub fn test() -> bool {
    static_branch_unlikely!(NUMBER) //~ ERROR: `u32` is not a static key
}

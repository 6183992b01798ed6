// SPDX-License-Identifier: GPL-2.0-or-later

//! Link a kernel that runs at any address, without the C library.

fn main() {
    let directory = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");

    for argument in [
        "-nostartfiles",
        "-nostdlib",
        "-pie",
        "-Wl,--no-dynamic-linker",
        "-Wl,--build-id=none",
        "-Wl,-z,max-page-size=4096",
        "-Wl,-z,norelro",
    ] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    println!("cargo:rustc-link-arg-bins=-Wl,-T,{directory}/kernel.lds");
    for file in ["build.rs", "kernel.lds", "src"] {
        println!("cargo:rerun-if-changed={file}");
    }
}

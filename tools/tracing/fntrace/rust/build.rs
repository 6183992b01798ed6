// SPDX-License-Identifier: LGPL-2.1-or-later

//! Build the backend with its own makefile, which knows the flags that hooks need.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo did not set {name}"))
}

/// The prefix of the compiler's name, if the target is another machine than this one.
fn cross_compile() -> String {
    for name in ["CROSS_COMPILE", "CFLAGS", "CPPFLAGS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if let Ok(prefix) = env::var("CROSS_COMPILE") {
        return prefix;
    }
    let arch = variable("CARGO_CFG_TARGET_ARCH");
    if variable("HOST").starts_with(&arch) {
        String::new()
    } else {
        format!("{arch}-linux-gnu-")
    }
}

fn build_backend(source: &Path, out: &Path) {
    let library = out.join("libfntrace-rust.a");
    let status = Command::new("make")
        .arg("-C")
        .arg(source)
        .arg(format!("OUTPUT={}", out.display()))
        .arg(format!("CROSS_COMPILE={}", cross_compile()))
        .arg(&library)
        // A make that runs cargo may have passed its own flags and variables.
        .env_remove("MAKEFLAGS")
        .env_remove("MAKEOVERRIDES")
        .status()
        .expect("make cannot be run");

    assert!(
        status.success(),
        "make could not build {}",
        library.display()
    );
    for part in [
        "Makefile",
        "backend",
        "include",
        "rust/glue.c",
        "rust/glue.h",
        "rust/vectors.S",
    ] {
        println!("cargo:rerun-if-changed={}", source.join(part).display());
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=fntrace-rust");
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_PROGRAM").is_some() {
        println!("cargo:rerun-if-env-changed=FNTRACE_LIBDIR");
        if let Ok(directory) = env::var("FNTRACE_LIBDIR") {
            println!("cargo:rustc-link-search=native={directory}");
        }
        println!("cargo:rustc-link-lib=dylib=fntrace");
        return;
    }
    let source = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..");
    build_backend(&source, Path::new(&variable("OUT_DIR")));
}

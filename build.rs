//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    // What is linked statically begins with code that takes it for movable.
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if (target("OS").as_str(), target("ENV").as_str()) == ("linux", "gnu") && !is_static {
        // A program that can lie at any address has its tables of pointers written anew each time that it starts: a seventh
        // of what `git wf show` takes. This one lies where the linker put it, as the programs of Go do; stack, heap and
        // libraries still lie at other addresses each time.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

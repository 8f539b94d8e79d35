//! The program: calls the command line.

/// Records are many small texts: with this allocator an import and a list of many issues need a fifth less time than with
/// that of glibc, and `list --json` a third.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    git_wf::main()
}

//! The program: calls the command line.

fn main() -> std::process::ExitCode {
    git_wf::main()
}

//! The program: hands over to the command line.

fn main() -> std::process::ExitCode {
    git_wf::main()
}

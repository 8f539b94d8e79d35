use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{CliContext, Exit, Failure, Outcome, acting, current_dir, environment, is_in_run};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ui::{UiSettings, count};
use crate::web::{self, Listening, StartServer, WebServer, WebSource};

/// The port to use unless it is in use.
const PORT: u16 = 8417;

/// Show the store in a browser
///
/// Serves pages on this machine and prints their address: issues, plans, queues, executions, runs, the trail and the history.
/// Open pages update when the store changes. They are read-only without --write, and every user of this machine can read
/// them. With --write, the address contains a token that lets a browser change the store: keep it to yourself.
///
/// --export writes the same pages as files, which need no server.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Port to listen on (default: 8417, or another one if it is in use)
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Open the address in a browser
    #[arg(long)]
    open: bool,
    /// Let the browser change the store
    #[arg(long)]
    write: bool,
    /// Listen on this address (an IP address or a host name) so that other machines can connect; they need the token
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Write the pages to this directory and exit
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "open", "write", "listen"])]
    export: Option<PathBuf>,
}

/// What `web` prints with `--json`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct WebAnswer {
    /// The address to open; for an export, its first page.
    address: String,
    /// The number of pages of an export.
    pages: Option<usize>,
    /// The number of its files that were new or different, and so were written.
    written: Option<usize>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    session.check_store()?;
    let folder = current_dir()?;
    if let Some(folder) = &args.export {
        return export(context, folder);
    }
    if args.write && is_in_run() {
        return Err(Refusal::usage("an agent of a run cannot serve pages that change the store")
            .hint("leave --write out")
            .into());
    }
    let source = WebSource { folder, environment: environment(), acting: acting() };
    let (addresses, name) = addresses(args.listen.as_deref(), args.port)?;
    let at = tried(&addresses);
    let server = WebServer::listen(StartServer { source, addresses, name, is_writable: args.write })
        .map_err(|error| {
            Refusal::new(Code::CannotListen, format!("cannot listen on {at}: {error}"))
                .hint("choose another port with --port, or an address of this machine with --listen")
        })?;
    let listening = server.listening();
    let answer = WebAnswer { address: listening.address.clone(), pages: None, written: None };
    let is_quiet = UiSettings::get().is_quiet;
    if context.json() {
        context.screen.print_json(&answer)?;
        context.screen.send_document()?;
    } else {
        writeln!(context.screen, "{}", listening.address)?;
        if listening.has_token && !is_quiet {
            writeln!(
                context.screen,
                "The address contains a token: anyone who has it can {} the store.",
                if args.write { "change" } else { "read" }
            )?;
        }
        if !is_quiet {
            writeln!(context.screen, "Press Ctrl-C to stop.")?;
        }
    }
    context.screen.flush()?;
    if args.open {
        open(context, &listening);
    }
    server.serve().map_err(|error| {
        Refusal::new(Code::CannotListen, format!("the server stopped: {error}"))
            .hint("`git wf web` starts it again")
    })?;
    Ok(Exit::Done)
}

fn export(context: &mut CliContext, folder: &std::path::Path) -> Outcome {
    let session = context.session()?;
    let done = web::export(&session, folder)?;
    let first = folder.join("index.html").display().to_string();
    context.answer(
        done.map(|export| WebAnswer {
            address: first,
            pages: Some(export.pages),
            written: Some(export.written),
        }),
        |web, _, screen| {
            let pages = count(web.pages.unwrap_or_default(), "page");
            writeln!(
                screen,
                "{}: {pages}, {} written",
                web.address,
                count(web.written.unwrap_or_default(), "file")
            )
        },
    )
}

/// The addresses to try, in order, and the host name if one was given.
fn addresses(listen: Option<&str>, port: Option<u16>) -> Result<(Vec<SocketAddr>, Option<String>), Failure> {
    let ports = match port {
        Some(port) => vec![port],
        None => vec![PORT, 0],
    };
    let with_ports = |ip: IpAddr| ports.iter().map(move |port| SocketAddr::new(ip, *port));
    let Some(listen) = listen else {
        return Ok((with_ports(Ipv4Addr::LOCALHOST.into()).collect(), None));
    };
    if let Ok(ip) = listen.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Ok((with_ports(ip).collect(), None));
    }
    let found = (listen, 0).to_socket_addrs().map(|all| all.map(|address| address.ip()).collect::<Vec<_>>());
    match found {
        Ok(all) if !all.is_empty() => {
            Ok((all.into_iter().flat_map(with_ports).collect(), Some(listen.to_owned())))
        }
        _ => Err(Refusal::usage(format!("`{listen}` is not an address of this machine"))
            .hint("--listen takes an IP address such as 0.0.0.0, or a name; --port takes the port")
            .into()),
    }
}

/// The addresses that were tried, for an error.
fn tried(addresses: &[SocketAddr]) -> String {
    let named = addresses.iter().map(|address| match address.port() {
        0 => format!("any port of `{}`", address.ip()),
        _ => format!("`{address}`"),
    });
    named.collect::<Vec<_>>().join(" or ")
}

/// Opens an address in a browser.
fn open(context: &CliContext, listening: &Listening) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let target = if listening.has_token { hidden(&listening.address) } else { Ok(listening.address.clone()) };
    let started = target.and_then(|target| {
        let mut command = Command::new(program);
        command.arg(target).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    });
    if let Err(error) = started {
        context.warn(&format!("cannot start `{program}`: {error}; open the address yourself"));
    }
}

/// The path of a file that leads to the address and that only its owner can read, since every user of this machine can
/// see the arguments of a program. The token in it is worthless once the server has ended.
fn hidden(address: &str) -> io::Result<String> {
    let mut file = tempfile::Builder::new().prefix("git-wf-").suffix(".html").tempfile()?;
    writeln!(file, "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url={address}\">")?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path.display().to_string())
}

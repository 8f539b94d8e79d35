//! The server: connections within bounds, and the answer to each request.

mod answer;
pub(super) mod assets;
mod reply;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use super::Source;
use super::access::Access;
use super::live::Moves;
use answer::Shared;

/// Connections beyond this number wait until one of the others ends.
const MOST_CONNECTIONS: usize = 256;
/// Of those, at most this many listen to changes.
const MOST_LISTENERS: usize = 128;
/// Requests beyond this number wait for others to be answered.
const MOST_AT_ONCE: usize = 8;
/// How long the head of a request may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);
/// How long a client may take to accept the next part of an answer.
const STALLED: Duration = Duration::from_secs(20);
/// The most bytes of the head of a request.
const LONGEST_HEAD: usize = 32 * 1024;

/// How to serve.
pub(crate) struct Start {
    /// The store.
    pub(crate) source: Source,
    /// Where to listen.
    pub(crate) addresses: Vec<SocketAddr>,
    /// The name under which other machines know this one, if the address was given as a name.
    pub(crate) name: Option<String>,
    /// Whether forms can be sent.
    pub(crate) is_writable: bool,
}

/// A server that listens.
pub(crate) struct Server {
    listener: TcpListener,
    access: Access,
    source: Source,
}

/// Where a server listens.
pub(crate) struct Listening {
    /// The address to open.
    pub(crate) address: String,
    /// Whether the address contains the token.
    pub(crate) has_token: bool,
}

impl Server {
    /// Listens at the first address that is free.
    ///
    /// # Errors
    /// None of them can be used.
    pub(crate) fn listen(start: Start) -> io::Result<Self> {
        let listener = TcpListener::bind(&start.addresses[..])?;
        let address = listener.local_addr()?;
        let needs_token = start.is_writable || !address.ip().is_loopback();
        let token = if needs_token { Some(token()?) } else { None };
        let access = Access { address, name: start.name, token, is_writable: start.is_writable };
        Ok(Self { listener, access, source: start.source })
    }

    /// Where it listens.
    pub(crate) fn listening(&self) -> Listening {
        let host = match &self.access.name {
            Some(name) => format!("{name}:{}", self.access.address.port()),
            None => self.access.address.to_string(),
        };
        let query = self.access.token.as_ref().map(|token| format!("?token={token}")).unwrap_or_default();
        Listening { address: format!("http://{host}/{query}"), has_token: self.access.token.is_some() }
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// The runtime cannot be started.
    pub(crate) fn serve(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MOST_AT_ONCE)
            .build()?;
        let Self { listener, access, source } = self;
        runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let shared = Arc::new(Shared {
                access,
                moves: Moves::of(source.clone()),
                source,
                listeners: Arc::new(Semaphore::new(MOST_LISTENERS)),
            });
            accept(&listener, &shared).await
        })
    }
}

async fn accept(listener: &tokio::net::TcpListener, shared: &Arc<Shared>) -> io::Result<()> {
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let slot = Arc::clone(&slots).acquire_owned().await.map_err(io::Error::other)?;
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // Out of file descriptors, mostly: others will close some.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let shared = Arc::clone(shared);
        tokio::spawn(async move {
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(STALLED));
            let io: TokioIo<Pin<Box<TimeoutStream<tokio::net::TcpStream>>>> = TokioIo::new(Box::pin(stream));
            let service = service_fn(|request| answer::answer(Arc::clone(&shared), request));
            // What goes wrong with a connection concerns its client alone.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(io, service)
                .await;
            drop(slot);
        });
    }
}

/// A secret that nobody can guess, in hexadecimal digits.
fn token() -> io::Result<String> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

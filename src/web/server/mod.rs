//! The server: limits on connections, and the answers to requests.

mod answer;
pub(super) mod assets;
mod connections;
mod reply;
mod waiting;

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Notify, Semaphore};
use tokio_io_timeout::TimeoutStream;

use super::WebSource;
use super::access::Access;
use super::live::Moves;
use answer::Shared;
use connections::{Client, Connections};
use reply::BusyBody;
use waiting::WaitingRenderings;

/// A connection beyond this number takes the place of the one that has waited longest for a request.
const MOST_CONNECTIONS: usize = 256;
/// How often to look for a place if all connections are busy.
const FULL: Duration = Duration::from_millis(20);
/// How long to wait for a place before connections are closed that are busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum event streams.
const MOST_LISTENERS: usize = 128;
/// Maximum requests in progress; others wait.
const MOST_AT_ONCE: usize = 8;
/// Maximum large answers in progress, which are fewer, so that they leave threads to others.
const MOST_LARGE: usize = 4;
/// Maximum answers in progress with any number of texts. With the large ones, they leave a thread to others, too.
const MOST_TEXTS: usize = 3;
/// Maximum time for the head of a request, and for an idle connection.
const HEAD: Duration = Duration::from_secs(10);
/// Maximum time for a client to accept the next part of an answer. With [`SEND_BUFFER`], those who read less than about 15 KB a
/// second are cut off.
const STALLED: Duration = Duration::from_secs(10);
/// How much the system may take of an answer before the client reads it, in bytes. The next part is accepted only once much
/// of that has been read: with more, someone who reads slowly would seem to have stalled.
const SEND_BUFFER: usize = 64 * 1024;
/// Maximum time for a client to read an answer while others wait for their turn.
const LONGEST_READING: Duration = Duration::from_secs(60);
/// Maximum size of the head of a request, in bytes.
const LONGEST_HEAD: usize = 32 * 1024;

/// What to serve, and where.
pub(crate) struct StartServer {
    pub(crate) source: WebSource,
    /// The addresses to try, in order.
    pub(crate) addresses: Vec<SocketAddr>,
    /// The host name to listen on; `None` if an IP address was given.
    pub(crate) name: Option<String>,
    /// Whether forms are accepted.
    pub(crate) is_writable: bool,
}

/// A server that listens but does not answer yet.
pub(crate) struct WebServer {
    listener: TcpListener,
    access: Access,
    source: WebSource,
}

/// How to reach a server.
pub(crate) struct Listening {
    /// The URL to open.
    pub(crate) address: String,
    /// Whether the URL has the token.
    pub(crate) has_token: bool,
}

impl WebServer {
    /// Listens on the first address that is free.
    ///
    /// # Errors
    /// None of the addresses can be used.
    pub(crate) fn listen(start: StartServer) -> io::Result<Self> {
        let listener = TcpListener::bind(&start.addresses[..])?;
        // Connections inherit it.
        rustix::net::sockopt::set_socket_send_buffer_size(&listener, SEND_BUFFER)?;
        let address = listener.local_addr()?;
        let needs_token = start.is_writable || !address.ip().is_loopback();
        let token = if needs_token { Some(token()?) } else { None };
        let access = Access { address, name: start.name, token, is_writable: start.is_writable };
        Ok(Self { listener, access, source: start.source })
    }

    /// How to reach the server.
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
            // Two more, for the listeners.
            .max_blocking_threads(MOST_AT_ONCE + 2)
            .build()?;
        let Self { listener, access, source } = self;
        runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let shared = Arc::new(Shared {
                access,
                moves: Moves::new(source.clone()),
                source,
                listeners: Arc::new(Semaphore::new(MOST_LISTENERS)),
                threads: Arc::new(Semaphore::new(MOST_AT_ONCE)),
                large: Arc::new(Semaphore::new(MOST_LARGE)),
                texts: Arc::new(Semaphore::new(MOST_TEXTS)),
                hurry: Notify::new(),
                waiting: WaitingRenderings::default(),
            });
            accept(&listener, &shared).await
        })
    }
}

async fn accept(listener: &tokio::net::TcpListener, shared: &Arc<Shared>) -> io::Result<()> {
    let mut connections = Connections::default();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // Usually too many open files; others will be closed.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        connections.make_room().await;
        let shared = Arc::clone(shared);
        let client = Client::default();
        let own = client.clone();
        let task = tokio::spawn(async move {
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(STALLED));
            let io: TokioIo<Pin<Box<TimeoutStream<tokio::net::TcpStream>>>> = TokioIo::new(Box::pin(stream));
            let service = service_fn(|request| {
                let busy = own.begin();
                let answer = answer::answer(Arc::clone(&shared), request);
                async move { Ok::<_, Infallible>(answer.await.map(|body| BusyBody::new(body, busy))) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(LONGEST_HEAD)
                // Otherwise each answer would be copied.
                .writev(true)
                .serve_connection(io, service);
            let mut served = pin!(served);
            let mut too_slow = pin!(own.is_too_slow(&shared.hurry, LONGEST_READING));
            // An error of a connection concerns only its client.
            tokio::select! {
                _ = served.as_mut() => {}
                () = too_slow.as_mut() => {}
                () = own.is_to_end() => {
                    served.as_mut().graceful_shutdown();
                    tokio::select! {
                        _ = served.as_mut() => {}
                        () = too_slow.as_mut() => {}
                    }
                }
            }
        });
        connections.add(task, client);
    }
}

/// A random secret of 20 bytes, in hexadecimal.
fn token() -> io::Result<String> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

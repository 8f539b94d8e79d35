//! The transport: one JSON-RPC message on each line of stdin and stdout. A line that is not a message is answered with an
//! error, and the connection continues.

mod lines;

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc as threads};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientNotification, ClientRequest, CompleteRequestParams, CustomRequest,
    ErrorCode, ErrorData, GetPromptRequestParams, InitializeRequestParams, ReadResourceRequestParams,
    RequestId, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, timeout_at};

use self::lines::{Line, MOST_BYTES, read_lines, write_all};
use super::refused::shorten;

/// How many messages may wait to be written.
const WAITING: usize = 64;
/// How many messages are read ahead. Each may be large.
const AHEAD: usize = 4;
/// The most requests of a client that are not answered yet. More are refused at once, so that a client that floods the server
/// can still cancel what it asked for, and is noticed when it goes away.
const MOST_OPEN: usize = 256;
/// The error for them; the protocol leaves its number to servers.
const BUSY: ErrorCode = ErrorCode(-32_000);
/// How long the last messages may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Stdin and stdout, each with a thread that may block.
pub(super) struct Wire {
    lines: Receiver<Line>,
    out: Sender<Vec<u8>>,
    /// The rest of a batch.
    batch: VecDeque<Value>,
    has_begun: bool,
    /// The requests that are not answered yet.
    open: Arc<Mutex<HashSet<RequestId>>>,
    /// Errors about lines that are not messages.
    complaints: VecDeque<Vec<u8>>,
    /// When they are dropped, if the client has not read them by then.
    until: Option<Instant>,
}

fn in_flight(open: &Mutex<HashSet<RequestId>>) -> MutexGuard<'_, HashSet<RequestId>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that writes.
pub(super) struct Writer(threads::Receiver<()>);

impl Writer {
    /// Waits until everything is written, unless the client does not read.
    pub(super) fn finish(self) {
        // An error means that the thread has ended, which is what this waits for.
        let _ = self.0.recv_timeout(LAST_WORDS);
    }
}

impl Wire {
    /// On stdin and stdout of this process.
    pub(super) fn on_stdio() -> (Self, Writer) {
        let (incoming, lines) = mpsc::channel(AHEAD);
        let (out, outgoing) = mpsc::channel(WAITING);
        let (ended, is_over) = threads::sync_channel(0);
        std::thread::spawn(move || {
            read_lines(&mut io::stdin().lock(), |line| incoming.blocking_send(line).is_ok());
        });
        std::thread::spawn(move || {
            write_all(outgoing);
            drop::<threads::SyncSender<()>>(ended);
        });
        let wire = Self {
            lines,
            out,
            batch: VecDeque::new(),
            has_begun: false,
            open: Arc::default(),
            complaints: VecDeque::new(),
            until: None,
        };
        (wire, Writer(is_over))
    }

    /// The message in a line, or the first of a batch; `None` if there is none that needs an answer.
    fn parse(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(batch)) if !batch.is_empty() => {
                self.batch.extend(batch);
                None
            }
            Ok(value) => self.message(value),
            Err(error) => {
                self.complain(ErrorCode::PARSE_ERROR, format!("not JSON: {error}"), None);
                None
            }
        }
    }

    fn message(&mut self, value: Value) -> Option<RxJsonRpcMessage<RoleServer>> {
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        let (method, opens) = (value.get("method").and_then(Value::as_str), opens(&value));
        let is_request = id.is_some() && method.is_some();
        // Before a session begins, nothing but requests is expected, and anything else would end it.
        if !self.has_begun && !is_request && method.is_some() {
            return None;
        }
        match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(value) {
            Ok(RxJsonRpcMessage::<RoleServer>::Response(_) | RxJsonRpcMessage::<RoleServer>::Error(_))
                if !self.has_begun =>
            {
                None
            }
            Ok(message) => {
                if let RxJsonRpcMessage::<RoleServer>::Request(request) = &message {
                    if let ClientRequest::CustomRequest(custom) = &request.request
                        && let Some(fault) = misfit(custom)
                    {
                        self.complain(ErrorCode::INVALID_PARAMS, fault, id);
                        return None;
                    }
                    if let Err((code, what)) = self.admit(&request.id) {
                        self.complain(code, what, id);
                        return None;
                    }
                }
                if let RxJsonRpcMessage::<RoleServer>::Notification(notification) = &message
                    && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    in_flight(&self.open).remove(id);
                }
                self.has_begun |= opens;
                Some(message)
            }
            Err(error) => {
                let code = if is_request { ErrorCode::INVALID_PARAMS } else { ErrorCode::INVALID_REQUEST };
                self.complain(code, format!("not a message of the protocol: {error}"), id);
                None
            }
        }
    }

    /// Notes a request that needs an answer.
    fn admit(&self, id: &RequestId) -> Result<(), (ErrorCode, String)> {
        let mut open = in_flight(&self.open);
        if open.contains(id) {
            let what = "a request with this id is not answered yet".to_owned();
            return Err((ErrorCode::INVALID_REQUEST, what));
        }
        if open.len() >= MOST_OPEN {
            let what = format!("{MOST_OPEN} requests are not answered yet; wait for answers, then ask again");
            return Err((BUSY, what));
        }
        open.insert(id.clone());
        Ok(())
    }

    /// Queues an error about a line that is not a message.
    fn complain(&mut self, code: ErrorCode, what: String, id: Option<RequestId>) {
        let error = TxJsonRpcMessage::<RoleServer>::error(short(ErrorData::new(code, what, None)), id);
        self.complaints.extend(line(&error));
    }

    /// Writes these errors. Nothing is read meanwhile, and a client that does not read them is soon given up.
    async fn hand_over(&mut self) {
        while !self.complaints.is_empty() {
            let until = *self.until.get_or_insert_with(|| Instant::now() + LAST_WORDS);
            match timeout_at(until, self.out.reserve()).await {
                Ok(Ok(place)) => {
                    place.send(self.complaints.pop_front().unwrap_or_default());
                    self.until = None;
                }
                Ok(Err(_)) | Err(_) => self.complaints.clear(),
            }
        }
    }
}

/// An error without long texts: it may quote what was asked.
fn short(mut error: ErrorData) -> ErrorData {
    let mut message = Value::String(error.message.into_owned());
    shorten(&mut message);
    error.data.iter_mut().for_each(shorten);
    error.message = message.as_str().unwrap_or_default().to_owned().into();
    error
}

/// Whether a request opens a session: the handshake, or the first request of a client that does without it.
fn opens(value: &Value) -> bool {
    let method = value.get("method").and_then(Value::as_str);
    method == Some("initialize")
        || (value.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some()
            && method != Some("server/discover"))
}

/// What is wrong with a request of the protocol that was read as one of an extension; `None` if it may be one.
fn misfit(request: &CustomRequest) -> Option<String> {
    fn fault<T: DeserializeOwned>(params: &Value) -> Option<String> {
        let error = T::deserialize(params).err()?;
        Some(error.to_string())
    }
    let method = request.method.as_str();
    let params = request.params.clone().unwrap_or_else(|| json!({}));
    let why = match method {
        "initialize" => fault::<InitializeRequestParams>(&params),
        "tools/call" => fault::<CallToolRequestParams>(&params),
        "resources/read" => fault::<ReadResourceRequestParams>(&params),
        "resources/subscribe" => fault::<SubscribeRequestParams>(&params),
        "resources/unsubscribe" => fault::<UnsubscribeRequestParams>(&params),
        "prompts/get" => fault::<GetPromptRequestParams>(&params),
        "completion/complete" => fault::<CompleteRequestParams>(&params),
        _ => return None,
    };
    let why = why.unwrap_or_else(|| "they are missing".into());
    Some(format!("the params of `{method}` are invalid: {why}"))
}

fn line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            TxJsonRpcMessage::<RoleServer>::Response(answer) => Some(answer.id.clone()),
            TxJsonRpcMessage::<RoleServer>::Error(answer) => answer.id.clone(),
            _ => None,
        };
        let message = match message {
            TxJsonRpcMessage::<RoleServer>::Error(answer) => {
                TxJsonRpcMessage::<RoleServer>::error(short(answer.error), answer.id)
            }
            other => other,
        };
        let (out, open, line) = (self.out.clone(), Arc::clone(&self.open), line(&message));
        async move {
            let sent = match line {
                Ok(line) => out.send(line).await.map_err(|_| io::ErrorKind::BrokenPipe.into()),
                Err(error) => Err(error),
            };
            // An answer that waits because the client does not read still counts as one to be given.
            if let Some(id) = answered {
                in_flight(&open).remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.hand_over().await;
            while let Some(value) = self.batch.pop_front() {
                if let Some(message) = self.message(value) {
                    return Some(message);
                }
                self.hand_over().await;
            }
            // A client that reads no more gets no answers: what it would still ask must not be done.
            let line = tokio::select! {
                biased;
                () = self.out.closed() => return None,
                line = self.lines.recv() => line?,
            };
            match line {
                Line::Whole(line) => {
                    if let Some(message) = self.parse(&line) {
                        return Some(message);
                    }
                }
                Line::TooLong => {
                    let what = format!("a message has at most {MOST_BYTES} bytes");
                    self.complain(ErrorCode::INVALID_REQUEST, what, None);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_opens_a_session() {
        let is_open = |text: &str| opens(&serde_json::from_str(text).unwrap());
        assert!(is_open(r#"{"method": "initialize"}"#));
        assert!(!is_open(r#"{"method": "ping"}"#));
        let inline = |method: &str| {
            format!(
                r#"{{"method": "{method}", "params": {{"_meta": {{"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}}}}"#
            )
        };
        assert!(is_open(&inline("tools/list")) && !is_open(&inline("server/discover")));
    }
}

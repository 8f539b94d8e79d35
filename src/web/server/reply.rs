//! Replies, with headers that restrict what a page can do.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::response::Parts;
use hyper::{Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;

use super::assets::Asset;
use super::connections::Busy;

pub(super) type Body = UnsyncBoxBody<Bytes, Infallible>;
pub(super) type Reply = Response<Body>;

/// Allows only files of this server: no inline script or style, no frames, no forms that lead elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // Forms need an `Origin`, which `no-referrer` would hide.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

fn reply(status: StatusCode, kind: &'static str, cache: &'static str, body: Body) -> Reply {
    let mut reply = Response::new(body);
    *reply.status_mut() = status;
    let headers: &mut HeaderMap = reply.headers_mut();
    headers.extend(
        HEADERS.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))),
    );
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    reply
}

/// A complete body.
pub(super) fn whole(content: impl Into<Bytes>) -> Body {
    Full::new(content.into()).boxed_unsync()
}

/// A part of a body that keeps something until all of it was handed to the system, or its connection is closed.
struct HeldBytes<T> {
    content: Bytes,
    _held: T,
}

impl<T> AsRef<[u8]> for HeldBytes<T> {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

fn holding<T: Send + 'static>(content: Bytes, held: T) -> Bytes {
    Bytes::from_owner(HeldBytes { content, _held: held })
}

/// A body whose connection is busy until all of it was sent. A stream of events keeps it busy only at first.
pub(super) struct BusyBody {
    body: Body,
    busy: Option<Busy>,
}

impl BusyBody {
    pub(super) fn new(body: Body, busy: Busy) -> Self {
        busy.answer();
        Self { body, busy: Some(busy) }
    }
}

impl hyper::body::Body for BusyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|content| match self.busy.take() {
                    Some(busy) => holding(content, busy),
                    None => content,
                })
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A complete reply, which can be sent to several clients.
pub(super) struct SharedReply {
    head: Parts,
    content: Bytes,
}

impl SharedReply {
    /// This reply. If it is large, it keeps its permit until it was sent to all its clients, or their connections are closed.
    pub(super) async fn new(reply: Reply, large: Option<OwnedSemaphorePermit>) -> Self {
        let (head, body) = reply.into_parts();
        let Ok(body) = body.collect().await;
        let content = body.to_bytes();
        let content = match large {
            Some(permit) => holding(content, permit),
            None => content,
        };
        Self { head, content }
    }

    /// The reply for one client.
    pub(super) fn reply(&self) -> Reply {
        Response::from_parts(self.head.clone(), whole(self.content.clone()))
    }

    #[cfg(test)]
    pub(super) fn content(&self) -> &[u8] {
        &self.content
    }
}

/// A page.
pub(super) fn page(status: StatusCode, html: String) -> Reply {
    reply(status, "text/html; charset=utf-8", "no-store", whole(html))
}

/// Plain text.
pub(super) fn text(status: StatusCode, text: impl Into<String>) -> Reply {
    reply(status, "text/plain; charset=utf-8", "no-store", whole(text.into()))
}

/// A static file, which browsers can cache.
pub(super) fn asset(asset: &'static Asset) -> Reply {
    reply(StatusCode::OK, asset.kind, "public, max-age=31536000, immutable", whole(asset.content))
}

/// A stream of events.
pub(super) fn events(body: Body) -> Reply {
    reply(StatusCode::OK, "text/event-stream", "no-store", body)
}

/// Redirects to a page of this server. `path` comes from [`super::super::place`], which encodes whatever could end a
/// header.
pub(super) fn to(path: &str) -> Reply {
    let mut reply = text(StatusCode::SEE_OTHER, "");
    match HeaderValue::from_str(path) {
        Ok(value) if path.starts_with('/') && !path.starts_with("//") => {
            reply.headers_mut().insert(header::LOCATION, value);
            reply
        }
        _ => text(StatusCode::BAD_REQUEST, "this address cannot be opened\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::super::connections::Client;
    use super::*;

    #[tokio::test]
    async fn a_large_answer_is_in_progress_as_long_as_any_part_of_the_body() {
        let all = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&all).try_acquire_owned().ok();
        let client = Client::default();
        let page = SharedReply::new(text(StatusCode::OK, "a long text"), permit).await;
        let body = BusyBody::new(page.reply().into_body(), client.begin());
        let Ok(body) = body.collect().await;
        drop(page);
        let mut rest = body.to_bytes();
        let state = || (all.available_permits(), client.is_busy());
        assert_eq!(state(), (0, true));
        let sent = rest.split_to(6);
        drop(sent);
        assert_eq!((state(), &rest[..]), ((0, true), &b" text"[..]));
        drop(rest);
        assert_eq!(state(), (1, false));
    }
}

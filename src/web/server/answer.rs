//! Answers requests, after the access rules.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::assets::{self, Asset};
use super::reply::{self, Reply, SharedReply};
use super::waiting::WaitingRenderings;
use crate::model::Code;
use crate::ops::{Refusal, Session};
use crate::web::access::{Access, Denied, Sender};
use crate::web::live::Moves;
use crate::web::place::{Place, Query};
use crate::web::view::{RefusedForm, RenderTarget, View};
use crate::web::{WebSource, forms, layout, pages};

/// Maximum size of a form, in bytes.
const LARGEST_FORM: usize = 4 * 1024 * 1024;
/// How much of a form that is too large is read.
const MOST_IGNORED: usize = 16 * LARGEST_FORM;
/// The longest address that is answered, in bytes.
const LONGEST_ADDRESS: usize = 8 * 1024;
/// Maximum time for a form to arrive.
const ARRIVAL: Duration = Duration::from_secs(15);
/// Interval of keep-alive messages, which end a stream whose client is gone.
const ALIVE: Duration = Duration::from_secs(25);

/// How often those who read are told that others wait.
const URGED: Duration = Duration::from_secs(1);

/// State shared by all requests.
pub(super) struct Shared {
    pub(super) access: Access,
    pub(super) source: WebSource,
    pub(super) moves: Moves,
    pub(super) listeners: Arc<Semaphore>,
    /// Requests wait here for a thread, and no longer than their client does.
    pub(super) threads: Arc<Semaphore>,
    /// Requests for pages that can be large, or take long, wait here first, until an earlier one of them was sent, so that
    /// they cannot fill the memory.
    pub(super) large: Arc<Semaphore>,
    /// Permits for the pages of issues and the like, so that these do not wait for long audits.
    pub(super) texts: Arc<Semaphore>,
    /// Says that a request waits for one of these.
    pub(super) hurry: Notify,
    /// Requests for the same page wait together.
    pub(super) waiting: WaitingRenderings,
}

/// Answers a request.
pub(super) async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Reply {
    let reply = match *request.method() {
        Method::GET | Method::HEAD => get(&shared, &request).await,
        Method::POST => post(&shared, request).await,
        _ => Ok(reply::text(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST\n")),
    };
    reply.unwrap_or_else(denied)
}

fn denied(why: Denied) -> Reply {
    let status = match why {
        Denied::Host => StatusCode::MISDIRECTED_REQUEST,
        Denied::Token => StatusCode::UNAUTHORIZED,
        Denied::Origin | Denied::Embedded | Denied::ReadOnly => StatusCode::FORBIDDEN,
    };
    reply::text(status, format!("{}\n", why.words()))
}

/// The headers that identify the sender. One that is not text counts as missing, as does a host that is named twice, or
/// differently in the address.
fn sender<B>(request: &Request<B>) -> Sender<'_> {
    let headers = request.headers();
    let is_one = headers.get_all(header::HOST).iter().count() == 1;
    let host = header_text(headers, header::HOST).filter(|host| {
        let named = request.uri().authority();
        is_one && named.is_none_or(|named| named.as_str().eq_ignore_ascii_case(host))
    });
    Sender {
        host,
        origin: header_text(headers, header::ORIGIN),
        site: header_text(headers, HeaderName::from_static("sec-fetch-site")),
        mode: header_text(headers, HeaderName::from_static("sec-fetch-mode")),
        destination: header_text(headers, HeaderName::from_static("sec-fetch-dest")),
        cookies: header_text(headers, header::COOKIE),
    }
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

async fn get(shared: &Arc<Shared>, request: &Request<Incoming>) -> Result<Reply, Denied> {
    let uri = request.uri();
    if uri.path_and_query().is_some_and(|it| it.as_str().len() > LONGEST_ADDRESS) {
        return Ok(reply::text(StatusCode::URI_TOO_LONG, "the address is too long\n"));
    }
    let query = Query::parse(uri.query().unwrap_or_default());
    let token = query.get("token");
    let may_write = shared.access.look(&sender(request), token)?;
    if let Some(asset) = Asset::at(uri.path()) {
        return Ok(reply::asset(asset));
    }
    let place = Place::parse(uri.path());
    if let Some(token) = token.filter(|token| shared.access.is_token(token)) {
        return Ok(keep(&shared.access, token, &place.unwrap_or(Place::Overview), &query.without("token")));
    }
    if uri.path() == "/events" {
        return Ok(events(shared).await);
    }
    let Some(place) = place else {
        return Ok(in_session(shared, || {}, move |session| missing(session, may_write)).await);
    };
    let rendering = &shared.waiting.join(format!("{may_write} {uri}"));
    let render = move || async move {
        let all_large = match (place.can_be_large(), place.has_any_texts()) {
            (true, _) => Some(&shared.large),
            (_, true) => Some(&shared.texts),
            _ => None,
        };
        let large = match all_large {
            Some(all) => turn(all, &shared.hurry).await,
            None => None,
        };
        let work =
            move |session: &Session| show(session, &place, &query, RenderTarget::Server { may_write }, None);
        let reply = in_session(shared, || shared.waiting.begin(rendering), work).await;
        SharedReply::new(reply, large).await
    };
    Ok(rendering.page(render).await.reply())
}

/// Waits for a turn, and meanwhile urges those who have one to read their answers.
async fn turn(all: &Arc<Semaphore>, hurry: &Notify) -> Option<OwnedSemaphorePermit> {
    let mut turn = pin!(Arc::clone(all).acquire_owned());
    loop {
        match tokio::time::timeout(URGED, turn.as_mut()).await {
            Ok(turn) => return turn.ok(),
            Err(_) => hurry.notify_waiters(),
        }
    }
}

/// Gives the browser the token as a cookie, and leads to the address without it. This is a page, not a redirect: after
/// a redirect, a browser that came from another site would not send the cookie.
fn keep(access: &Access, token: &str, place: &Place, query: &Query) -> Reply {
    let to = format!("{}{}", place.path(), query.suffix());
    let html = maud::html! {
        (maud::DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="refresh" content=(format!("0; url={to}"));
                title { "git wf" }
                link rel="icon" href=(assets::ICON.address());
            }
            body { a href=(to) { "Opening git wf …" } }
        }
    };
    let mut reply = reply::page(StatusCode::OK, html.into_string());
    let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", access.cookie());
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        reply.headers_mut().insert(header::SET_COOKIE, value);
    }
    reply
}

/// Runs `work` with a new session, on a thread where it may block; `begin` as soon as there is one.
async fn in_session(
    shared: &Arc<Shared>,
    begin: impl FnOnce() + Send,
    work: impl FnOnce(&Session) -> Reply + Send + 'static,
) -> Reply {
    let source = shared.source.clone();
    let Ok(permit) = Arc::clone(&shared.threads).acquire_owned().await else {
        return reply::text(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down\n");
    };
    begin();
    let thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        match source.session() {
            Ok(session) => work(&session),
            Err(refusal) => reply::text(StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", refusal.message)),
        }
    });
    thread.await.unwrap_or_else(|_| {
        let words = "the page failed because of a bug in git-wf; stderr of the server says where\n";
        reply::text(StatusCode::INTERNAL_SERVER_ERROR, words)
    })
}

/// The page for an address that leads nowhere.
fn missing(session: &Session, may_write: bool) -> Reply {
    let refusal = pages::no_page("there is no such page");
    let Ok(now) = session.now() else { return reply::text(StatusCode::NOT_FOUND, "there is no such page\n") };
    let target = RenderTarget::Server { may_write };
    let (place, query) = (Place::Overview, Query::default());
    let view = View::new(session, &place, &query, target, None, now);
    reply::page(StatusCode::NOT_FOUND, layout::document(&view, &layout::refusal(&view, &refusal)))
}

/// Renders the page of a place, with a refused form if there is one.
fn show(
    session: &Session,
    place: &Place,
    query: &Query,
    target: RenderTarget<'_>,
    refused: Option<&RefusedForm>,
) -> Reply {
    if *place == Place::Go {
        let (place, query) = pages::go(session, query.get("q").unwrap_or_default());
        return reply::to(&format!("{}{}", place.path(), query.suffix()));
    }
    let now = match session.now() {
        Ok(now) => now,
        Err(refusal) => {
            return reply::text(StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", refusal.message));
        }
    };
    let view = View::new(session, place, query, target, refused, now);
    if let Place::Text(..) = place {
        return match pages::text(&view) {
            Ok(text) => reply::text(StatusCode::OK, text),
            Err(refusal) => reply::text(status(&refusal), format!("{}\n", refusal.message)),
        };
    }
    let (status, content) = match pages::content(&view) {
        Ok(content) if refused.is_some() => (StatusCode::UNPROCESSABLE_ENTITY, content),
        Ok(content) => (StatusCode::OK, content),
        Err(refusal) => (status(&refusal), layout::refusal(&view, &refusal)),
    };
    reply::page(status, layout::document(&view, &content))
}

fn status(refusal: &Refusal) -> StatusCode {
    match refusal.code {
        Code::NotFound | Code::AmbiguousId | Code::UnknownMoment => StatusCode::NOT_FOUND,
        _ => StatusCode::CONFLICT,
    }
}

async fn post(shared: &Arc<Shared>, request: Request<Incoming>) -> Result<Reply, Denied> {
    shared.access.write(&sender(&request))?;
    let Some(name) = request.uri().path().strip_prefix("/do/").map(str::to_owned) else {
        return Ok(reply::text(StatusCode::NOT_FOUND, "there is no such form\n"));
    };
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded")) {
        return Ok(reply::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a form must be URL-encoded\n"));
    }
    let body = match tokio::time::timeout(ARRIVAL, whole(request.into_body())).await {
        Ok(Some(body)) => body,
        Ok(None) => return Ok(reply::text(StatusCode::PAYLOAD_TOO_LARGE, "the form is too large\n")),
        Err(_) => return Ok(reply::text(StatusCode::REQUEST_TIMEOUT, "the form took too long\n")),
    };
    let Ok(input) = std::str::from_utf8(&body) else {
        return Ok(reply::text(StatusCode::BAD_REQUEST, "the form is not UTF-8\n"));
    };
    let input = Query::parse(input);
    Ok(in_session(shared, || {}, move |session| perform(session, &name, input)).await)
}

/// The whole form; `None` if it is too large, or breaks off. What is too large is read to its end, unless it is much too
/// large: a browser that is still sending would not see the answer.
async fn whole(mut form: Incoming) -> Option<Vec<u8>> {
    let (mut read, mut content) = (0, Vec::new());
    while let Some(frame) = form.frame().await {
        let Ok(data) = frame.ok()?.into_data() else { continue };
        read += data.len();
        if read <= LARGEST_FORM {
            content.extend_from_slice(&data);
        } else if read <= MOST_IGNORED {
            content = Vec::new();
        } else {
            return None;
        }
    }
    (read <= LARGEST_FORM).then_some(content)
}

/// Performs a form and redirects to the next page. If it is refused, shows the form's page again.
fn perform(session: &Session, name: &str, input: Query) -> Reply {
    let (place, query) = came_from(&input);
    match forms::perform(session, name, &input) {
        Ok(Some(next)) => reply::to(&next.path()),
        Ok(None) => reply::to(&format!("{}{}", place.path(), query.suffix())),
        Err(fault) => {
            let form = input.get("form").unwrap_or_default().to_owned();
            let refused = RefusedForm { form, field: fault.field, typed: input, refusal: fault.refusal };
            show(session, &place, &query, RenderTarget::Server { may_write: true }, Some(&refused))
        }
    }
}

/// The page of a form; the overview if that is unknown.
fn came_from(input: &Query) -> (Place, Query) {
    let (path, query) = match input.get("page").map(|page| page.split_once('?').unwrap_or((page, ""))) {
        Some((path, query)) => (Place::parse(path), Query::parse(query)),
        None => (None, Query::default()),
    };
    match path {
        Some(place) if !matches!(place, Place::Go | Place::Text(..)) => (place, query),
        _ => (Place::Overview, Query::default()),
    }
}

/// A stream with the tip of the store, followed by an event for each change.
async fn events(shared: &Arc<Shared>) -> Reply {
    let Ok(permit) = Arc::clone(&shared.listeners).try_acquire_owned() else {
        return reply::text(StatusCode::SERVICE_UNAVAILABLE, "too many open pages\n");
    };
    let listener = shared.moves.listen();
    let source = shared.source.clone();
    let tip = tokio::task::spawn_blocking(move || source.session().ok()?.store().tip().ok().flatten());
    let tip = tip.await.ok().flatten().map(|tip| tip.to_string()).unwrap_or_default();
    let first = stream::once(async move { Bytes::from(format!("retry: 2000\nevent: tip\ndata: {tip}\n\n")) });
    let later = stream::unfold((listener, permit), |(mut listener, permit)| async {
        let said = match tokio::time::timeout(ALIVE, listener.changed()).await {
            Ok(Ok(())) => "event: moved\ndata: 1\n\n",
            Ok(Err(_)) => return None,
            Err(_) => ":\n\n",
        };
        Some((Bytes::from_static(said.as_bytes()), (listener, permit)))
    });
    let frames = stream::StreamExt::map(stream::StreamExt::chain(first, later), |said: Bytes| {
        Ok::<_, Infallible>(Frame::data(said))
    });
    reply::events(StreamBody::new(frames).boxed_unsync())
}

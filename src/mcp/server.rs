//! The server: maps the requests of the protocol to parts of this program.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, InputResponses,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Semaphore};

use super::call::{CallJob, not_begun};
use super::tools::{Allowed, Call};
use super::watch::Watched;
use super::{MOST_CALLS, McpSettings, completion, folders, prompts, refused, resources};
use crate::model::Code;
use crate::ops::Refusal;
use crate::trail::watched::TICK;

/// The description of this server for agents.
const INSTRUCTIONS: &str = "git-wf tracks issues, their plans and the work on them in this git repository. To work: `find` with \
    ready: true, `claim`, commit, `verify`, `finish`. To plan: `find`, `plan_context`, `plan_submit`. `trace` says why code is \
    as it is. Each tool works in the client's root unless `directory` names another worktree. A refusal has remedies: the tool to call instead, where you fill in words in capitals, or the command that a \
    person must type.";

/// A server for one client.
pub(super) struct McpServer {
    settings: Arc<McpSettings>,
    /// The directories that the client works in, once it was asked.
    roots: Mutex<Option<Vec<PathBuf>>>,
    /// What clients of versions before 2026-07-28 subscribed to.
    watched: Watched,
    /// Places for calls that change something or run tests.
    places: Semaphore,
}

impl McpServer {
    pub(super) fn new(settings: McpSettings) -> Self {
        let settings = Arc::new(settings);
        let watched = Watched::new(Arc::clone(&settings));
        Self { watched, settings, roots: Mutex::default(), places: Semaphore::new(MOST_CALLS) }
    }

    fn allowed(&self) -> Allowed<'_> {
        self.settings.allowed()
    }

    /// A refusal of something that is not a tool.
    fn error(&self, refusal: &Refusal) -> ErrorData {
        let document = Some(refused::document(refusal, self.settings.voice()));
        match refusal.code {
            Code::NotFound | Code::AmbiguousId => {
                ErrorData::resource_not_found(refusal.message.clone(), document)
            }
            Code::InvalidCursor => ErrorData::invalid_params(refusal.message.clone(), document),
            _ => ErrorData::invalid_request(refusal.message.clone(), document),
        }
    }

    /// The directories that the client works in; `None` if it must be asked first, by an answer that makes it repeat
    /// its request. Only some requests can be repeated.
    async fn roots_for(
        &self,
        context: &RequestContext<RoleServer>,
        answers: Option<&InputResponses>,
    ) -> Option<Vec<PathBuf>> {
        if !is_modern(context) {
            return Some(self.roots(context).await);
        }
        folders::answered(answers, &self.settings.folder).or_else(|| (!has_roots(context)).then(Vec::new))
    }

    async fn roots(&self, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        let has_roots = has_roots(context);
        // With this protocol version, the client cannot be asked during a request.
        if is_modern(context) {
            return vec![];
        }
        let mut known = self.roots.lock().await;
        match &*known {
            Some(roots) => roots.clone(),
            None if !has_roots => vec![],
            None => {
                let roots = folders::ask(&context.peer, &self.settings.folder).await;
                known.insert(roots).clone()
            }
        }
    }

    /// Runs work with a session for the directory of a request.
    async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        directory: Option<String>,
        work: impl FnOnce(&Call<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let roots = self.roots(context).await;
        self.run_within(roots, context, directory, work).await
    }

    /// Like `run`, for a client that works in `roots`.
    async fn run_within<T: Send + 'static>(
        &self,
        roots: Vec<PathBuf>,
        context: &RequestContext<RoleServer>,
        directory: Option<String>,
        work: impl FnOnce(&Call<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let client = context.client_info().map(|client| format!("{} {}", client.name, client.version));
        CallJob { settings: Arc::clone(&self.settings), roots, directory, client }.run(context, work).await
    }

    async fn call(
        &self,
        name: &str,
        mut arguments: Map<String, Value>,
        roots: Vec<PathBuf>,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<Value, Refusal>> {
        let tool = match self.allowed().tool(name)? {
            Ok(tool) => tool,
            Err(refusal) => return Some(Err(refusal)),
        };
        let directory = match arguments.shift_remove("directory") {
            None | Some(Value::Null) => None,
            Some(Value::String(directory)) => Some(directory),
            Some(_) => {
                return Some(Err(Refusal::new(Code::InvalidArguments, "`directory` is not a string")
                    .hint("give the path of a directory, or leave it out")));
            }
        };
        // Calls that take long leave room for those that only read.
        let _place = if Allowed::only_reads(name) {
            None
        } else {
            tokio::select! {
                place = self.places.acquire() => place.ok(),
                () = context.ct.cancelled() => {
                    return Some(Err(not_begun()));
                }
            }
        };
        Some(self.run_within(roots, context, directory, move |call| tool.call(call, arguments)).await)
    }

    /// Tells the client of changes, from the first subscription on.
    fn begin_watching(&self, peer: &Peer<RoleServer>) {
        if !self.watched.begins() {
            return;
        }
        let (watched, peer) = (self.watched.clone(), peer.clone());
        tokio::spawn(async move {
            while let Some(changes) = next_changes(&watched).await {
                for uri in changes.uris {
                    let sent = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
                    if sent.is_err() {
                        return;
                    }
                }
                if changes.list && peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }
}

/// Whether a request uses the sessionless version of the protocol, in which subscriptions are requests.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn has_roots(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|has| has.roots.is_some())
}

/// Waits until a file shows that something may have changed, and reads what did.
async fn next_changes(watched: &Watched) -> Option<super::watch::Changes> {
    loop {
        tokio::time::sleep(TICK).await;
        if watched.has_moved() {
            let watched = watched.clone();
            return tokio::task::spawn_blocking(move || watched.changes()).await.ok();
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("git-wf", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.allowed().tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(roots) = self.roots_for(&context, request.input_responses.as_ref()).await else {
            return Ok(folders::asked().into());
        };
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.call(&request.name, arguments, roots, &context).await {
            None => {
                return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
            }
            Some(Ok(answer)) => CallToolResult::structured(answer),
            // The schema of the answer does not describe a refusal.
            Some(Err(refusal)) => {
                let texts = refused::texts(&refusal, self.settings.voice());
                CallToolResult::error(texts.map(ContentBlock::text).into())
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let watched = self.watched.clone();
        let listed = self.run(&context, None, move |call| {
            watched.add_list(call.session, call.folder)?;
            resources::list(call.session, page.and_then(|page| page.cursor).as_deref())
        });
        let (listed, next) = listed.await.map_err(|refusal| self.error(&refusal))?;
        // Clients of later versions say what they want to be notified of.
        if !is_modern(&context) {
            self.begin_watching(&context.peer);
        }
        let mut page = ListResourcesResult::with_all_items(listed);
        page.next_cursor = next;
        Ok(page)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let Some(roots) = self.roots_for(&context, request.input_responses.as_ref()).await else {
            return Ok(folders::asked().into());
        };
        let directory = resources::directory(&uri);
        let text = self.run_within(roots, &context, directory, move |call| resources::read(call, &uri)).await;
        let text = text.map_err(|refusal| self.error(&refusal))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(resources::JSON);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let watched = self.watched.clone();
        let directory = resources::directory(&request.uri);
        let added =
            self.run(&context, directory, move |call| watched.add(call.session, call.folder, &request.uri));
        added.await.map_err(|refusal| self.error(&refusal))?;
        self.begin_watching(&context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions.clone_from(&requested.resource_subscriptions);
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let watched = Watched::new(Arc::clone(&self.settings));
        let accepted = subscription.accepted();
        let (uris, list) =
            (accepted.resource_subscriptions.clone().unwrap_or_default(), accepted.resources_list_changed);
        let context = subscription.request_context();
        for uri in uris {
            let (own, directory) = (watched.clone(), resources::directory(&uri));
            let added = self.run(context, directory, move |call| own.add(call.session, call.folder, &uri));
            added.await.map_err(|refusal| self.error(&refusal))?;
        }
        if list == Some(true) {
            let own = watched.clone();
            let added = self.run(context, None, move |call| own.add_list(call.session, call.folder));
            added.await.map_err(|refusal| self.error(&refusal))?;
        }
        let telling = async {
            while let Some(changes) = next_changes(&watched).await {
                for uri in changes.uris {
                    if subscription.sink().notify_resource_updated(uri).await.is_err() {
                        return;
                    }
                }
                if changes.list && subscription.sink().notify_resource_list_changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = telling => {}
            () = subscription.cancelled() => {}
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(&self.allowed())))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = request.name;
        let Some((argument, is_required)) = prompts::argument(&name, &self.allowed()) else {
            return Err(ErrorData::invalid_params(format!("there is no prompt `{name}`"), None));
        };
        let given = request.arguments.unwrap_or_default();
        let id = given.get(argument).and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        if is_required && id.is_none() {
            return Err(ErrorData::invalid_params(format!("the prompt `{name}` needs `{argument}`"), None));
        }
        let got = self.run(&context, None, move |call| prompts::get(call, &name, id.as_deref())).await;
        got.map(GetPromptResponse::from).map_err(|refusal| self.error(&refusal))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Some(kind) = completion::kind(&request.r#ref, &request.argument.name) else {
            return Ok(CompleteResult::default());
        };
        let begin = request.argument.value;
        let found =
            self.run(&context, None, move |call| completion::complete(call.session, kind, &begin)).await;
        found.map(CompleteResult::new).map_err(|refusal| self.error(&refusal))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.roots.lock().await = None;
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}

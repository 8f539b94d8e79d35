//! The client, tested in one process against an agent built with the agent side of the same crate.

use std::path::Path;
use std::sync::mpsc;

use agent_client_protocol::Agent;
use agent_client_protocol::v1::schema::{
    InitializeResponse, NewSessionRequest, NewSessionResponse, PermissionOption, PermissionOptionKind,
    PromptRequest, PromptResponse, RequestPermissionOutcome, SessionId, SessionMode, SessionModeState,
    TextContent, ToolCall, ToolCallUpdate, ToolKind,
};
use futures::SinkExt;

use super::*;

type Asking = ConnectionTo<acp::Client>;

/// A whole request with this text.
fn in_full(text: &str) -> Prompt {
    Prompt { text: text.to_owned(), sequel: None }
}

/// Asks for permission to do something; true if it is granted.
async fn may(client: &Asking, id: &SessionId, kind: ToolKind, command: &str) -> bool {
    let call = ToolCall::new("call-1", command.to_owned())
        .kind(kind)
        .raw_input(serde_json::json!({ "command": command }));
    client.send_notification(SessionNotification::new(id.clone(), SessionUpdate::ToolCall(call))).unwrap();
    let options = vec![
        PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce),
        PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
    ];
    // Only the id: the rest was announced before.
    let call = ToolCallUpdate::new("call-1", ToolCallUpdateFields::new());
    let request = RequestPermissionRequest::new(id.clone(), call, options);
    match client.send_request(request).block_task().await.unwrap().outcome {
        RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string() == "yes",
        _ => false,
    }
}

/// What the test agent tries when it is asked; its answer lists what was allowed.
async fn turn(client: Asking, id: SessionId, root: PathBuf) -> PromptResponse {
    let mut allowed = Vec::new();
    allowed.push(may(&client, &id, ToolKind::Execute, "cargo test").await);
    allowed.push(may(&client, &id, ToolKind::Execute, "git push").await);
    let text = |path: &Path| {
        let request = ReadTextFileRequest::new(id.clone(), path.to_owned());
        let sent = client.send_request(request).block_task();
        async move { sent.await.ok().map(|answer| answer.content) }
    };
    let read = text(&root.join("a.txt")).await;
    allowed.push(text(&root.join("../secret")).await.is_some());
    let written = WriteTextFileRequest::new(id.clone(), root.join("new.txt"), "new".to_owned());
    allowed.push(client.send_request(written).block_task().await.is_ok());
    let written = WriteTextFileRequest::new(id.clone(), root.join(".git/config"), "x".to_owned());
    allowed.push(client.send_request(written).block_task().await.is_ok());
    let answer = format!("I read {read:?}.\n{}\n", serde_json::json!({ "told": allowed }));
    for piece in [&answer[..5], &answer[5..]] {
        let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(piece)));
        let update = SessionUpdate::AgentMessageChunk(chunk);
        client.send_notification(SessionNotification::new(id.clone(), update)).unwrap();
    }
    PromptResponse::new(StopReason::EndTurn)
}

/// Talks to the test agent in a role. Returns the result and the answer.
fn talk(role: Role, root: &Path, prompt: Option<&str>) -> (Result<Greeting, Failed>, String) {
    let (result, happened) = talk_in(None, role, root, prompt);
    let message = |event| match event {
        AcpEvent::Message(text) => Some(text),
        _ => None,
    };
    (result, happened.into_iter().filter_map(message).collect())
}

/// Talks to the test agent, whose only mode is `ask`, in a session that should be in a mode. Returns the result and what happened.
fn talk_in(
    mode: Option<&str>,
    role: Role,
    root: &Path,
    prompt: Option<&str>,
) -> (Result<Greeting, Failed>, Vec<AcpEvent>) {
    let (to_agent, from_client) = mpsc::sync_channel::<Vec<u8>>(4);
    let (mut forward, incoming_agent) = lines::channel::<std::io::Result<String>>(64);
    let (to_client, incoming_client) = lines::channel::<std::io::Result<String>>(64);
    let (events, happened) = mpsc::channel();
    let (_interrupt, interruptions) = lines::unbounded();
    // The client writes bytes to a process, not from a future.
    std::thread::spawn(move || {
        while let Ok(bytes) = from_client.recv() {
            let line = String::from_utf8(bytes).unwrap();
            if futures::executor::block_on(forward.send(Ok(line))).is_err() {
                return;
            }
        }
    });
    let agent_root = root.to_owned();
    std::thread::spawn(move || {
        let outgoing =
            to_client.sink_map_err(std::io::Error::other).with(|line: String| async { Ok(Ok(line)) });
        let agent = Agent
            .v1()
            .on_receive_request(
                async move |hello: InitializeRequest, responder, _| {
                    let info = Implementation::new("example", "1.2");
                    responder.respond(InitializeResponse::new(hello.protocol_version).agent_info(info))
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |_: NewSessionRequest, responder, _| {
                    let modes = SessionModeState::new("ask", vec![SessionMode::new("ask", "Ask")]);
                    responder.respond(NewSessionResponse::new("s-1").modes(modes))
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |prompt: PromptRequest, responder, client: Asking| {
                    let root = agent_root.clone();
                    let asking = client.clone();
                    client
                        .spawn(async move { responder.respond(turn(asking, prompt.session_id, root).await) })
                },
                acp::on_receive_request!(),
            );
        let _ = futures::executor::block_on(agent.connect_to(acp::Lines::new(outgoing, incoming_agent)));
    });
    let mode = mode.map(str::to_owned);
    let session = AcpSession { root: root.to_owned(), role, mode, prompt: prompt.map(in_full), events };
    let result = run(session, to_agent, incoming_client, interruptions);
    (result, happened.try_iter().collect())
}

fn tree() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join("a.txt"), "hello").unwrap();
    std::fs::write(folder.path().join("secret"), "s").unwrap();
    (folder, root)
}

#[test]
fn a_greeting_opens_a_session_and_asks_nothing() {
    let (_folder, root) = tree();
    let (result, said) = talk(Role::Explorer, &root, None);
    let greeting = result.unwrap();
    assert_eq!(
        (greeting.agent.as_deref(), greeting.session_id.as_deref()),
        (Some("example 1.2"), Some("s-1"))
    );
    assert_eq!(said, "");
}

#[test]
fn a_mode_that_the_agent_does_not_offer_is_reported() {
    let (_folder, root) = tree();
    for (mode, told) in [
        ("ask", None),
        ("plan", Some("its session has no mode `plan`, and stays in its own; the agent offers `ask`")),
    ] {
        let (result, happened) = talk_in(Some(mode), Role::Planner, &root, None);
        assert!(result.is_ok(), "{mode}");
        let noticed = happened.iter().find_map(|event| match event {
            AcpEvent::Noticed(what) => Some(what.as_str()),
            _ => None,
        });
        assert_eq!(noticed, told);
    }
}

#[test]
fn an_executor_works_in_its_tree_and_does_not_push() {
    let (_folder, root) = tree();
    let (result, said) = talk(Role::Executor, &root, Some("work"));
    assert_eq!(result.unwrap().session_id.as_deref(), Some("s-1"));
    assert_eq!(said, "I read Some(\"hello\").\n{\"told\":[true,false,false,true,false]}\n");
    assert_eq!(std::fs::read_to_string(root.join("new.txt")).unwrap(), "new");
    assert!(!root.join(".git/config").exists());
}

#[test]
fn a_planner_reads_and_changes_nothing() {
    let (_folder, root) = tree();
    let (result, said) = talk(Role::Planner, &root, Some("plan"));
    assert!(result.is_ok());
    assert!(said.ends_with("{\"told\":[false,false,false,false,false]}\n"), "{said}");
    assert!(!root.join("new.txt").exists());
}

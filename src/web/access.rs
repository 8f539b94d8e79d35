//! Access rules. They are pure; [`super::server`] applies them to each request before anything else.
//!
//! - `Host` must name this server, which stops DNS rebinding: a foreign name made to resolve to this machine.
//! - The token, shown only on the terminal, is kept as a cookie that scripts cannot read and other sites do not send.
//!   It is required to write, and for everything if other machines can reach the server.
//! - A form must come from a page of this server, according to `Origin`.
//! - A page of another site can link to this server, but cannot load or embed its pages: it could otherwise keep this machine
//!   busy, and measure how long the answers take.

use std::net::{IpAddr, SocketAddr};

/// The rules of one server.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The address that the server listens on.
    pub(super) address: SocketAddr,
    /// The host name that it was told to listen on; `None` if it was given an IP address.
    pub(super) name: Option<String>,
    /// The secret of this process; `None` if no request needs one.
    pub(super) token: Option<String>,
    /// Whether forms are accepted.
    pub(super) is_writable: bool,
}

/// The headers that identify the sender of a request.
#[derive(Debug, Default, Clone)]
pub(super) struct Sender<'a> {
    pub(super) host: Option<&'a str>,
    pub(super) origin: Option<&'a str>,
    pub(super) site: Option<&'a str>,
    pub(super) mode: Option<&'a str>,
    pub(super) destination: Option<&'a str>,
    pub(super) cookies: Option<&'a str>,
}

impl Sender<'_> {
    /// Whether another site asks for this other than by a link. Old browsers do not say.
    fn is_embedding(&self) -> bool {
        let is_link = self.mode == Some("navigate") && self.destination == Some("document");
        matches!(self.site, Some("cross-site" | "same-site")) && !is_link
    }
}

/// Why a request is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    /// `Host` names another server.
    Host,
    /// The token is needed, and is missing or wrong.
    Token,
    /// The form does not come from this server.
    Origin,
    /// A page of another site loads it or embeds it.
    Embedded,
    /// The server is read-only.
    ReadOnly,
}

impl Denied {
    /// The message for the sender.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Host => "the request names another server",
            Self::Token => "open the address that `git wf web` printed: it has the token",
            Self::Origin => "a form must come from a page of this server",
            Self::Embedded => "a page of another site can only link to this server",
            Self::ReadOnly => {
                "this server is read-only; `git wf web --write` starts one that can change the store"
            }
        }
    }
}

impl Access {
    /// Whether only this machine can reach the server.
    pub(super) fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// The name of the cookie. It has the port, since cookies are shared by all ports of a host.
    pub(super) fn cookie(&self) -> String {
        format!("wf-{}", self.address.port())
    }

    /// Whether `Host` names this server.
    fn is_host(&self, host: &str) -> bool {
        let (name, port) = split(host);
        if port.unwrap_or(80) != self.address.port() {
            return false;
        }
        if self.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name)) {
            return true;
        }
        match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            // An IP address cannot be rebound.
            Ok(ip) => ip == self.address.ip() || self.address.ip().is_unspecified(),
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    && (self.is_local() || self.address.ip().is_unspecified())
            }
        }
    }

    /// Whether the sender's cookie has the token.
    pub(super) fn knows(&self, sender: &Sender<'_>) -> bool {
        let Some(token) = &self.token else { return false };
        let name = self.cookie();
        let cookies =
            sender.cookies.unwrap_or_default().split(';').filter_map(|it| it.trim().split_once('='));
        cookies.filter(|(known, _)| *known == name).any(|(_, value)| same(value, token))
    }

    /// Whether a token from an address is the right one.
    pub(super) fn is_token(&self, given: &str) -> bool {
        self.token.as_deref().is_some_and(|token| same(given, token))
    }

    /// Checks whether a page may be shown; `Ok(true)` if the sender may also write.
    pub(super) fn look(&self, sender: &Sender<'_>, token: Option<&str>) -> Result<bool, Denied> {
        if !sender.host.is_some_and(|host| self.is_host(host)) {
            return Err(Denied::Host);
        }
        if sender.is_embedding() {
            return Err(Denied::Embedded);
        }
        let knows = self.knows(sender) || token.is_some_and(|token| self.is_token(token));
        if !self.is_local() && !knows {
            return Err(Denied::Token);
        }
        Ok(self.is_writable && knows)
    }

    /// Checks whether a form may be performed.
    pub(super) fn write(&self, sender: &Sender<'_>) -> Result<(), Denied> {
        if !self.look(sender, None)? {
            return Err(if self.is_writable { Denied::Token } else { Denied::ReadOnly });
        }
        let own = sender.host.map(|host| format!("http://{host}"));
        let is_own = match sender.origin {
            Some(origin) => own.is_some_and(|own| own.eq_ignore_ascii_case(origin)),
            // Old browsers send no `Origin` with a same-origin form.
            None => sender.site == Some("same-origin"),
        };
        if is_own { Ok(()) } else { Err(Denied::Origin) }
    }
}

/// Splits a `Host` into name and port.
fn split(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            // Not a valid host; no server has port 0.
            Err(_) => (host, Some(0)),
        },
        _ => (host, None),
    }
}

/// Compares two secrets in a time that depends only on their length.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn access(address: &str) -> Access {
        Access { address: address.parse().unwrap(), name: None, token: Some(TOKEN.into()), is_writable: true }
    }

    fn from<'a>(host: &'a str, cookies: &'a str) -> Sender<'a> {
        Sender { host: Some(host), cookies: Some(cookies), ..Sender::default() }
    }

    #[test]
    fn only_the_own_names_are_answered() {
        let local = access("127.0.0.1:8090");
        for host in ["127.0.0.1:8090", "localhost:8090", "LOCALHOST:8090"] {
            assert_eq!(local.look(&from(host, ""), None), Ok(false), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:8090",
            "localhost.evil.example:8090",
            "127.0.0.1:8090:8090",
            "192.168.0.1:8090",
            "localhost:8090x",
            "[::1]:8090",
        ] {
            assert_eq!(local.look(&from(host, ""), None), Err(Denied::Host), "{host}");
        }
        assert_eq!(local.look(&Sender::default(), None), Err(Denied::Host));
        assert_eq!(access("[::1]:8090").look(&from("[::1]:8090", ""), None), Ok(false));
        let named = Access { name: Some("build.example".into()), ..access("192.168.0.7:8090") };
        assert_eq!(named.look(&from("build.example:8090", ""), Some(TOKEN)), Ok(true));
        assert_eq!(named.look(&from("evil.example:8090", ""), Some(TOKEN)), Err(Denied::Host));
    }

    #[test]
    fn other_sites_can_only_link() {
        let local = access("127.0.0.1:8090");
        let request = |site, mode, destination| {
            let sender = from("127.0.0.1:8090", "");
            Sender { site: Some(site), mode: Some(mode), destination: Some(destination), ..sender }
        };
        for site in ["cross-site", "same-site"] {
            assert_eq!(local.look(&request(site, "navigate", "document"), None), Ok(false));
            for (mode, destination) in [
                ("no-cors", "image"),
                ("cors", "empty"),
                ("navigate", "iframe"),
                ("no-cors", "script"),
                ("navigate", "object"),
            ] {
                let found = local.look(&request(site, mode, destination), None);
                assert_eq!(found, Err(Denied::Embedded), "{site} {mode} {destination}");
            }
        }
        for site in ["same-origin", "none"] {
            assert_eq!(local.look(&request(site, "cors", "empty"), None), Ok(false), "{site}");
        }
    }

    #[test]
    fn other_machines_need_the_token() {
        let open = access("0.0.0.0:8090");
        assert_eq!(open.look(&from("10.0.0.1:8090", ""), None), Err(Denied::Token));
        assert_eq!(open.look(&from("10.0.0.1:8090", "wf-8090=wrong"), None), Err(Denied::Token));
        assert_eq!(open.look(&from("10.0.0.1:8090", "a=b; wf-8090=0123456789abcdef"), None), Ok(true));
        assert_eq!(open.look(&from("10.0.0.1:8090", "wf-8091=0123456789abcdef"), None), Err(Denied::Token));
    }

    #[test]
    fn a_form_comes_from_here_with_the_token() {
        let local = access("127.0.0.1:8090");
        let good = Sender {
            origin: Some("http://127.0.0.1:8090"),
            ..from("127.0.0.1:8090", "wf-8090=0123456789abcdef")
        };
        assert_eq!(local.write(&good), Ok(()));
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8090",
            "http://localhost:8090",
            "http://127.0.0.1",
        ] {
            assert_eq!(
                local.write(&Sender { origin: Some(origin), ..good.clone() }),
                Err(Denied::Origin),
                "{origin}"
            );
        }
        assert_eq!(local.write(&Sender { origin: None, ..good.clone() }), Err(Denied::Origin));
        let site = Sender { origin: None, site: Some("same-origin"), ..good.clone() };
        assert_eq!(local.write(&site), Ok(()));
        assert_eq!(local.write(&Sender { cookies: None, ..good.clone() }), Err(Denied::Token));
        let read_only = Access { is_writable: false, ..local };
        assert_eq!(read_only.write(&good), Err(Denied::ReadOnly));
    }
}

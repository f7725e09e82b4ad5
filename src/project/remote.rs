//! One name for every spelling of a remote's address.

use std::fs;
use std::path::Path;

/// Hosts on which upper and lower case in a path are the same.
const CASELESS: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/// Ports that need not be said.
const PORTS: [&str; 4] = ["22", "443", "80", "9418"];

/// `git@github.com:user/repo.git` and `https://token@GitHub.com:443/user/repo/` become
/// `github.com/user/repo`; a folder becomes its path, taken from `root` where it is relative. `None` for
/// what names nothing.
pub(super) fn name(url: &str, root: &Path) -> Option<String> {
    let url = url.trim();
    let url = url.strip_prefix("git+").unwrap_or(url);
    if let Some((scheme, rest)) = url.split_once("://") {
        return if scheme.eq_ignore_ascii_case("file") {
            folder(rest.strip_prefix("localhost").unwrap_or(rest), root)
        } else {
            let (host, path) = rest.split_once('/')?;
            on_host(host, path)
        };
    }
    // As git reads it: a colon before the first slash makes a host of what stands before it.
    match url.split_once(':') {
        Some((host, path)) if !host.contains('/') && host.len() > 1 => on_host(host, path),
        _ => folder(url, root),
    }
}

fn on_host(host: &str, path: &str) -> Option<String> {
    let host = host.rsplit('@').next().unwrap_or(host).to_lowercase();
    let host = match host.rsplit_once(':') {
        Some((name, port)) if PORTS.contains(&port) => name,
        _ => host.as_str(),
    };
    // `ssh.github.com` is the same behind port 443.
    let host = host.strip_prefix("ssh.").filter(|rest| CASELESS.contains(rest)).unwrap_or(host);
    let host = host.strip_prefix("www.").filter(|rest| CASELESS.contains(rest)).unwrap_or(host);
    let path = trimmed(path.trim_start_matches('/'));
    if host.is_empty() || path.is_empty() {
        return None;
    }
    let path = if CASELESS.contains(&host) { path.to_lowercase() } else { path.to_owned() };
    Some(format!("{host}/{path}"))
}

/// Only a path below the root of the disk is looked at; a share of another machine could take minutes.
fn folder(path: &str, root: &Path) -> Option<String> {
    let path = path.trim_end_matches('/');
    if path.is_empty() || path.starts_with("//") {
        return None;
    }
    let joined = root.join(path);
    let real = fs::canonicalize(&joined)
        .or_else(|_| fs::canonicalize(joined.with_extension("git")))
        .unwrap_or(joined);
    let real = real.to_string_lossy();
    Some(trimmed(&real).to_owned()).filter(|name| !name.is_empty())
}

fn trimmed(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/.git").unwrap_or(path);
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/')
}

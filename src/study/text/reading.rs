//! From a file to the text of a study: its letters, and keys given twice.

use crate::text::diagnostic::Diagnostic;
use crate::text::locate::{Kind, contents, tokens};
use crate::text::rejected::Rejected;
use slipstick_system::text::plain_name;
use std::collections::HashSet;
use std::path::Path;

/// The text of a file. `what` it holds, for messages: the study.
///
/// # Errors
/// [`Rejected`] when the file cannot be read or is no UTF-8.
pub fn read_text(path: &Path, what: &str) -> Result<String, Rejected> {
    let file = path.display();
    let bytes = std::fs::read(path).map_err(|e| {
        let help = elsewhere(path, what, e.kind()).map_or_else(String::new, |help| format!("\n  help: {help}"));
        let why = if path.is_dir() {
            "it is a folder".to_owned()
        } else {
            e.to_string()
        };
        Rejected::because(format!("error: cannot read the {what} {file}: {why}{help}"))
    })?;
    let wide = [&[0xff, 0xfe][..], &[0xfe, 0xff]]
        .iter()
        .any(|mark| bytes.starts_with(mark));
    let text = String::from_utf8(bytes).map_err(|e| {
        let (before, rest) = e.as_bytes().split_at(e.utf8_error().valid_up_to());
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let byte = rest.first().copied().unwrap_or_default();
        let found = if wide {
            "it seems to be UTF-16".to_owned()
        } else {
            format!("line {line} holds the byte 0x{byte:02x}")
        };
        Rejected::because(format!(
            "error: the {what} {file} is not written in UTF-8: {found}\n  help: save it as UTF-8 in your editor"
        ))
    })?;
    // Some editors put a mark before the text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// What may have been meant by a file that cannot be read.
fn elsewhere(path: &Path, what: &str, why: std::io::ErrorKind) -> Option<String> {
    let file = path.display();
    let beside = path.with_extension("ron");
    let is_run = path.join("run.json").is_file();
    match why {
        _ if is_run => Some(format!(
            "it is a finished run: `slipstick show {file}` says what is in it"
        )),
        _ if beside != path && beside.is_file() => Some(format!("did you mean `{}`?", beside.display())),
        std::io::ErrorKind::NotFound if what == "study" => {
            Some(format!("`slipstick new {file}` writes a study to start from"))
        }
        _ => None,
    }
}

/// Every key of a map `{...}` that its map has already.
pub(crate) fn second_keys(text: &str) -> Vec<Diagnostic> {
    let tokens = tokens(text);
    let mut found = vec![];
    let mut open: Vec<Option<HashSet<String>>> = vec![];
    for (k, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => open.push(text[token.range.clone()].starts_with('{').then(HashSet::new)),
            Kind::Close => {
                open.pop();
            }
            Kind::String | Kind::Word if tokens.get(k + 1).is_some_and(|next| next.kind == Kind::Colon) => {
                let Some(Some(keys)) = open.last_mut() else { continue };
                let key = contents(text, &token.range).0;
                if !keys.insert(plain_name(&key)) {
                    let mut second = Diagnostic::at(text, "", None, format!("a second `{key}`"), None);
                    second.span = token.range.clone();
                    second.help = Some("keep one of them".into());
                    found.push(second);
                }
            }
            _ => {}
        }
    }
    found
}

//! What the model was told: results of tools, reminders beside them, feedback of hooks.

use serde_json::Value;

use super::api::{Api, id_of_use};

/// What the words of a Stop hook follow.
const FEEDBACK: &str = "Stop hook feedback:\n";

/// What the model received for one use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The result is an error.
    pub(crate) failed: bool,
    /// The text of the result.
    pub(crate) text: String,
    /// What hooks said before the model's next turn.
    pub(crate) said: Vec<Said>,
}

/// What a hook said, wherever the client put it and whatever it set around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// The hook: `PostToolUse:Bash`.
    pub(crate) hook: String,
    /// Its words, and what the client set behind them in a paragraph of its own.
    pub(crate) words: String,
    /// It is a complaint.
    pub(crate) blames: bool,
}

impl Said {
    /// Whether this hook said these words.
    pub(crate) fn is(&self, hook: &str, words: &str) -> bool {
        let rest = self.words.strip_prefix(words);
        self.hook == hook && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("\n\n"))
    }
}

impl Heard {
    /// Asserts that this hook said these words, and nothing else was said.
    #[track_caller]
    pub(crate) fn assert_said(&self, hook: &str, words: &str) {
        assert!(
            matches!(self.said.as_slice(), [one] if one.is(hook, words)),
            "{:#?}\n--- is not\n{hook}: {words}",
            self.said
        );
    }
}

/// What hooks said in all of a request.
pub(crate) fn said_in_all(request: &Value) -> Vec<Said> {
    let messages = list(&request["messages"]).iter();
    let texts = messages.flat_map(|message| all_texts(&message["content"]));
    texts.flat_map(|text| said_in(&text)).collect()
}

/// What hooks said in a text of the client.
fn said_in(text: &str) -> Vec<Said> {
    const NOTE: &str = " hook additional context: ";
    const BLAME: &str =
        " hook blocking error from command: \"${CLAUDE_PLUGIN_ROOT}/bin/mk hook\": ";
    let mut marks: Vec<(usize, &str)> = text.match_indices(NOTE).collect();
    marks.extend(text.match_indices(BLAME));
    marks.sort_unstable();
    let line = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let ends = marks.iter().skip(1).map(|(at, _)| line(*at)).chain([text.len()]);
    let said = marks.iter().zip(ends).map(|((at, mark), end)| {
        let words = &text[at + mark.len()..end];
        let words = words.split("\n</system-reminder>").next().unwrap_or_default();
        let hook = text[line(*at)..*at].to_owned();
        Said { hook, words: words.trim_end().to_owned(), blames: *mark == BLAME }
    });
    said.collect()
}

impl Api {
    /// What the model received for the tool that the script used after `number` others.
    #[track_caller]
    pub(crate) fn heard(&self, number: usize) -> Heard {
        let id = id_of_use(number);
        let asked = self.asked();
        let mut answers =
            asked.iter().filter_map(|request| heard_in(list(&request["messages"]), &id));
        answers.next().unwrap_or_else(|| panic!("the client did not answer {id}"))
    }

    /// What the Stop hooks said to the conversation that began with `prompt`, in order.
    pub(crate) fn feedback(&self, prompt: &str) -> Vec<String> {
        let texts = self.texts(prompt).into_iter();
        // Newer clients set it between marks of a reminder.
        let said = |text: String| {
            let (frame, said) = text.split_once(FEEDBACK)?;
            let is_frame = frame.is_empty() || frame.starts_with("<system-reminder>");
            let said = said.trim_end().trim_end_matches("</system-reminder>").trim_end();
            is_frame.then(|| said.to_owned())
        };
        texts.filter_map(said).collect()
    }

    /// Everything that the model was told as the person's side of the conversation that began
    /// with `prompt`, but for results of tools; each part once.
    #[track_caller]
    pub(crate) fn texts(&self, prompt: &str) -> Vec<String> {
        let asked = self.asked();
        let begins = |request: &&Value| {
            let messages = list(&request["messages"]);
            let first = messages.iter().find(|message| message["role"] == "user");
            first.is_some_and(|message| texts_of(&message["content"]).iter().any(|t| t == prompt))
        };
        let Some(last) = asked.iter().rfind(begins) else {
            panic!("no conversation begins with {prompt:?}")
        };
        let messages = list(&last["messages"]).iter();
        let users = messages.filter(|message| message["role"] == "user");
        users.flat_map(|message| texts_of(&message["content"])).collect()
    }
}

/// The answer to the tool use `id` among messages.
fn heard_in(messages: &[Value], id: &str) -> Option<Heard> {
    let is_answer = |block: &&Value| block["tool_use_id"] == id;
    let at = messages.iter().position(|m| list(&m["content"]).iter().any(|b| is_answer(&b)))?;
    let result = list(&messages[at]["content"]).iter().find(is_answer)?;
    let turn = messages[at..].iter().take_while(|message| message["role"] != "assistant");
    Some(Heard {
        failed: result["is_error"] == true,
        text: texts_of(&result["content"]).join("\n"),
        said: turn
            .flat_map(|message| all_texts(&message["content"]))
            .flat_map(|text| said_in(&text))
            .collect(),
    })
}

/// The texts of a content, which is one text or a list of blocks.
fn texts_of(content: &Value) -> Vec<String> {
    let one = content.as_str().into_iter();
    let blocks = list(content).iter().filter_map(|block| block["text"].as_str());
    one.chain(blocks).map(str::to_owned).collect()
}

/// The same with those in results of tools, where some versions put what hooks say.
fn all_texts(content: &Value) -> Vec<String> {
    let results = list(content).iter().flat_map(|block| texts_of(&block["content"]));
    texts_of(content).into_iter().chain(results).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

//! JSON, as far as the counters and the tools write it.

use std::fmt::{self, Display, Formatter, Write as _};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Number(u64),
    /// A text.
    Text(String),
    /// A list.
    Array(Vec<Json>),
    /// Named values, in this order.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Option<String>> for Json {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl Display for Json {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bool(value) => write!(formatter, "{value}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => write!(formatter, "{}", Quoted(text)),
            Self::Array(values) => {
                for (place, value) in values.iter().enumerate() {
                    write!(formatter, "{}{value}", if place == 0 { '[' } else { ',' })?;
                }
                formatter.write_str(if values.is_empty() { "[]" } else { "]" })
            }
            Self::Object(members) => {
                for (place, (name, value)) in members.iter().enumerate() {
                    write!(formatter, "{}{}:{value}", if place == 0 { '{' } else { ',' }, Quoted(name))?;
                }
                formatter.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

/// A text between quotation marks, with what JSON forbids in it escaped (RFC 8259, section 7).
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(formatter, "\\{character}")?,
                control if control < ' ' => write!(formatter, "\\u{:04x}", u32::from(control))?,
                other => formatter.write_char(other)?,
            }
        }
        formatter.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_reads_back_what_was_written() {
        let json = Json::Object(vec![
            ("text", Json::text("a \"quoted\" \\ line\n\t\u{1} and more: ä")),
            ("numbers", Json::Array(vec![0.into(), u64::MAX.into()])),
            ("nothing", Json::Null),
            ("true", true.into()),
            ("empty", Json::Array(vec![Json::Object(Vec::new()), Json::Array(Vec::new())])),
        ]);
        let read: serde_json::Value = serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!(
            read,
            serde_json::json!({
                "text": "a \"quoted\" \\ line\n\t\u{1} and more: ä",
                "numbers": [0, u64::MAX],
                "nothing": null,
                "true": true,
                "empty": [{}, []],
            })
        );
    }
}

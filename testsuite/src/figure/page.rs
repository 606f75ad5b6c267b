//! Everything on one page that needs no network.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A part of the page: a headline, what it says, a table as text, and a picture as SVG.
pub type Section = (String, String, String, Option<String>);

/// The page.
pub fn page(title: &str, sections: &[Section]) -> String {
    let style = "body { font-family: sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem } \
                 pre { overflow-x: auto; font-size: 0.8rem } svg { max-width: 100%; height: auto }";
    let body = |(headline, remark, table, picture): &Section| -> Markup {
        html! {
            h2 { (headline) }
            p { (remark) }
            // Drawn by this program: there is nothing in it to be escaped.
            @if let Some(picture) = picture { (PreEscaped(picture)) }
            pre { (table) }
        }
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { (title) } style { (style) } }
            body { h1 { (title) } @for section in sections { (body(section)) } }
        }
    }
    .into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_pictures_are_not() {
        let section = ("A < B".to_owned(), String::new(), "1 < 2".to_owned(), Some("<svg></svg>".to_owned()));
        let page = page("title", &[section]);
        assert!(page.contains("A &lt; B") && page.contains("1 &lt; 2") && page.contains("<svg></svg>"), "{page}");
    }
}

//! What the page must hold, and what it must never hold.

use std::path::Path;

use super::super::fixture;
use super::*;

#[test]
fn tells_of_every_site_and_leads_to_the_reasons() {
    let (program, plan) = fixture::program_and_plan();
    let page = render_html(&program, &program, &plan);
    for part in [
        "2<span class=\"of\"> of 3</span>",
        "<b>hoist-receive</b>: posted at line 2, above the print",
        "href=\"#explain-wildcard\"",
        "id=\"explain-wildcard\"",
        "id=\"explain-no-producing-loop\"",
        "could not be read</b>, and is taken to do anything: syntax error",
        "class 2</a>",
        "<svg",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let targets = page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap_or_default());
    for target in targets {
        assert!(page.contains(&format!("id=\"{target}\"")), "#{target} leads nowhere");
    }
}

#[test]
fn needs_nothing_from_anywhere() {
    let (program, plan) = fixture::program_and_plan();
    let page = render_html(&program, &program, &plan);
    for part in ["http://", "https://", "<script", "src=", "@import", "url(//"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page, render_html(&program, &program, &plan), "the same plan gives the same bytes");
}

#[test]
fn of_nothing_is_a_page() {
    let page = render_html(&Program::default(), &Program::default(), &Plan::default());
    assert!(page.contains("no call that sends, receives or waits"), "{page}");
    assert!(page.ends_with("</html>"));
}

#[cfg(feature = "fortran")]
#[test]
fn what_the_source_says_stays_text() {
    use crate::frontend::{FrontendOptions, parse_text};
    use crate::transform::{Selection, plan_program};

    let text = b"program p ! <script>alert(1)</script> \xff&amp;\n  use mpi\n  real :: a(3)\n  integer :: ierr\n\
        call mpi_send(a, 3, mpi_real, 0, '<b onclick=\"x\">', mpi_comm_world, ierr)\n  x = = '</style><img>'\n\
        call \"</svg>\"\nend program\n";
    let path = Path::new("a<i>\"b.f90");
    let program = parse_text(path, text.to_vec(), &FrontendOptions::default()).expect("it is text");
    let page = render_html(&program, &program, &plan_program(&program, &Selection::default()));
    for part in ["<script", "<b onclick", "</style><img", "a<i>", "\"</svg>\""] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; \u{fffd}&amp;amp;"), "{page}");
}

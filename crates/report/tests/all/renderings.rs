//! The renderings of a report that has every reason: as text, compared with `expected/` (`UPDATE_EXPECT=1` writes it
//! anew); the page by what must be in it.

use std::collections::HashSet;

use expect_test::{expect, expect_file};
use flambeau_ir::decision::{Policy, Reason};
use flambeau_report::explain::{Change, explain};
use flambeau_report::terminal::{self, Palette};
use flambeau_report::{html, json, org};

use crate::fixture;

#[test]
fn org_files() {
    let report = fixture::report();
    let files: Vec<(String, String)> = org::files(&report).collect();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [".0.inlining.org", ".1.inlining.org"]);
    expect_file!["expected/round0.org"].assert_eq(&files[0].1);
    expect_file!["expected/round1.org"].assert_eq(&files[1].1);
}

#[test]
fn a_tree() {
    let report = fixture::report();
    let text = terminal::render(std::slice::from_ref(&report), Palette { colours: false });
    assert!(!text.contains('\x1b'));
    expect_file!["expected/tree.txt"].assert_eq(&text);
    // Colours change nothing else.
    let coloured = terminal::render(&[report], Palette { colours: true });
    assert!(coloured.contains("\x1b[32minlined\x1b[0m"));
    assert_eq!(without_escapes(&coloured), text);
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').expect("an escape sequence").1)
}

#[test]
fn json_is_read_back() {
    let report = fixture::report();
    let text = json::write(&report).unwrap_or_else(|error| panic!("{error}"));
    expect_file!["expected/report.json"].assert_eq(&text);
    let again = json::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again, report);
}

#[test]
fn numbers_that_json_does_not_have() {
    let mut log = flambeau_ir::decision::DecisionLog::default();
    for (benefit, allowance) in [(f64::NAN, f64::INFINITY), (f64::NEG_INFINITY, 1.5)] {
        log.decisions.push(flambeau_ir::decision::Decision {
            round: 4,
            function: None,
            places: Vec::new(),
            callee: None,
            depth: 0,
            reason: Reason::Beneficial(fixture::evaluation(3, benefit, allowance)),
        });
    }
    let report = flambeau_report::Report::new(&fixture::unit(), Default::default(), log, 0, &[]);
    assert_eq!(report.summary.rounds, 5);
    let text = json::write(&report).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(json::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}")), report);
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let pattern = format!(" {attribute}=\"");
    page.split(&pattern).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn a_page_stands_alone() {
    let page = html::render(&[fixture::report(), fixture::report()]);
    for resource in ["http", "src=", "url(", "@import", "<iframe", "fetch("] {
        assert!(!page.contains(resource), "the page mentions {resource}");
    }
    let ids = values(&page, "id");
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "a name is given twice");
    let links: Vec<&str> = values(&page, "href").into_iter().filter(|link| *link != "data:,").collect();
    assert!(links.len() > 40, "{links:?}");
    for link in links {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(unique.contains(id), "{link} leads nowhere");
    }
}

#[test]
fn a_page_says_what_was_decided() {
    let report = fixture::report();
    let page = html::render(std::slice::from_ref(&report));
    for decision in &report.decisions {
        let explanation = explain(&decision.reason, report.policy, report.build.level);
        let because = maud::html! { "because " (explanation.because) }.into_string();
        assert!(page.contains(&because), "{because} is not on the page");
        for change in &explanation.changes {
            let (_, code, _) = change.parts();
            assert!(page.contains(&maud::html! { (code) }.into_string()), "{code} is not on the page");
        }
    }
    // The source is text, not markup, and nothing of it is missing.
    assert!(page.contains("&lt;b&gt;&amp;amp;&quot; is text here"));
    assert!(page.contains("size 60 - benefit 12.25 = 47.75 &gt; allowance 10"));
    assert!(page.contains("-flambda2-inline-threshold 48"));
}

/// What would have changed each decision, under each policy.
#[test]
fn changes() {
    let mut text = String::new();
    for policy in [Policy::Classic, Policy::Benefit, Policy::Threshold] {
        text.push_str(&format!("{policy:?}\n"));
        for reason in fixture::reasons() {
            let explanation = explain(&reason, policy, 3);
            let changes: Vec<String> = explanation.changes.iter().map(Change::text).collect();
            text.push_str(&format!("  {reason:?}\n    {}\n", changes.join("\n    ")));
        }
    }
    expect_file!["expected/changes.txt"].assert_eq(&text);
}

#[test]
fn more_helps_only_where_there_is_more() {
    let reason = Reason::TooDeep { limit: 1 };
    let has_level =
        |policy, level| explain(&reason, policy, level).changes.contains(&Change::Flag("-O3".into()));
    assert!(has_level(Policy::Threshold, 2) && has_level(Policy::Benefit, 1));
    assert!(!has_level(Policy::Threshold, 3) && !has_level(Policy::Classic, 1));
}

#[test]
fn every_reason_but_those_of_wrappers_can_be_changed() {
    for policy in [Policy::Classic, Policy::Benefit, Policy::Threshold] {
        for reason in fixture::reasons() {
            let changes = explain(&reason, policy, 3).changes;
            let is_wrapper = matches!(reason, Reason::Stub | Reason::InStub);
            assert_eq!(changes.is_empty(), is_wrapper, "{reason:?}");
        }
    }
}

#[test]
fn numbers() {
    let text: Vec<String> =
        [1.0, 0.5, -0.001, 12.345, 100.0, 1e9].map(flambeau_report::explain::number).into();
    expect![[r#"1 0.5 0 12.35 100 1000000000"#]].assert_eq(&text.join(" "));
}

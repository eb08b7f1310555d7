//! One call and what was decided of it.

use flambeau_ir::decision::Decision;
use maud::{Markup, html};

use crate::explain::{Explanation, explain};
use crate::org::position;
use crate::sites::{Site, Verdict};
use crate::tree::Node;

use super::source::{Group, Unit};

/// The class for the style sheet.
pub fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Inlined => "inlined",
        Verdict::Specialised => "specialised",
        Verdict::Kept => "kept",
    }
}

/// The calls at a source location, with those in what was inlined there.
pub fn group(unit: &Unit, group: &Group, label: &str) -> Markup {
    let Some((head, inner)) = group.nodes.split_first() else { return html! {} };
    html! {
        @if head.entries.is_empty() {
            details.note.inlined #(group.id) {
                summary { (mark(label)) " " span.soft { "calls in inlined code" } }
                (nested(unit, inner))
            }
        }
        @for (index, site) in head.entries.iter().enumerate() {
            @let is_last = index + 1 == head.entries.len();
            @let id = (index == 0).then_some(group.id.as_str());
            (note(unit, site, id, label, if is_last { inner } else { &[] }))
        }
    }
}

fn mark(label: &str) -> Markup {
    html! { @if !label.is_empty() { span.mark { (label) } } }
}

fn note(unit: &Unit, site: &Site, id: Option<&str>, label: &str, inner: &[Node<&Site>]) -> Markup {
    let explanation = explanation(unit, site.last);
    html! {
        details.note.(class(explanation.verdict)) id=[id] {
            summary {
                (mark(label)) " "
                code { (unit.names.callee(site.last)) } " "
                span.verdict { (explanation.verdict.words().to_lowercase()) }
                " " span.soft { (explanation.brief) }
                @if let Some(formula) = &explanation.formula { " " span.short { (formula) } }
                @if !inner.is_empty() { " " span.soft { "+" (calls(inner)) " inside" } }
            }
            (body(unit, site, &explanation))
            (nested(unit, inner))
        }
    }
}

/// How many calls stand in inlined code.
fn calls(inner: &[Node<&Site>]) -> usize {
    inner.iter().map(|node| node.entries.len()).sum()
}

/// The calls in inlined code: flat, each as far to the right as it is deep.
fn nested(unit: &Unit, inner: &[Node<&Site>]) -> Markup {
    html! {
        @if !inner.is_empty() {
            div.inner {
                p.soft { "In the code that was inlined here:" }
                @for node in inner {
                    @let depth = node.depth.saturating_sub(2).min(12);
                    @let at = node.location.map(|location| format!("{}:{}", location.file, location.line)).unwrap_or_default();
                    div style={ "margin-left:" (depth) "em" } {
                        @for site in &node.entries { (note(unit, site, None, &at, &[])) }
                        @if node.entries.is_empty() { p.soft { (at) } }
                    }
                }
            }
        }
    }
}

fn explanation(unit: &Unit, decision: &Decision) -> Explanation {
    explain(&decision.reason, unit.report.policy, unit.report.build.level)
}

fn body(unit: &Unit, site: &Site, explanation: &Explanation) -> Markup {
    let earlier = &site.decisions[..site.decisions.len().saturating_sub(1)];
    html! {
        div.body {
            p { (explanation.verdict.words()) ", because " (explanation.because) "." }
            @if let Some(formula) = &explanation.formula { p.formula { code { (formula) } } }
            @if !explanation.removed.is_empty() { p { "Inlining removes " (explanation.removed.join(", ")) "." } }
            @if !explanation.changes.is_empty() {
                p.changes { "What could have changed it:" }
                ul { @for change in &explanation.changes {
                    @let (before, code, after) = change.parts();
                    li { (before) @if !code.is_empty() { code { (code) } } (after) }
                } }
            }
            p.soft {
                "In " code { (unit.names.function(site.function())) }
                @if let Some(location) = site.locations().last() { ", " (position(location)) }
                ", round " (site.last.round)
                @if let Some(callee) = site.callee() { "; calls " code { (callee) } }
                "."
            }
            @if !earlier.is_empty() {
                p.soft { "Before:" }
                ul.soft { @for decision in earlier {
                    @let before = self::explanation(unit, decision);
                    li {
                        "round " (decision.round) ": " (before.verdict.words().to_lowercase()) ", because " (before.because)
                        @if let Some(formula) = &before.formula { " (" (formula) ")" }
                    }
                } }
            }
        }
    }
}

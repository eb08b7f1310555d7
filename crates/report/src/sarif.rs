//! Remarks as SARIF 2.1.0, which code hosts and editors show beside the source.

use serde_json::{Value, json};

use crate::model::Report;
use crate::ranked::{Filter, select};
use crate::remarks::{Kind, Remark};
use flambeau_ir::decision::Place;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The remarks that are wanted.
#[must_use]
pub fn render(reports: &[Report], filter: &Filter) -> String {
    let selected = select(reports, filter);
    let mut rules: Vec<&str> = selected.iter().map(|(_, remark)| remark.name.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let compiler = reports.first().map_or("flambeau", |report| report.build.compiler.as_str());
    let version = compiler.rsplit(' ').next().unwrap_or_default();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "flambeau",
                "version": version,
                "rules": rules.iter().map(|rule| json!({ "id": rule, "name": rule })).collect::<Vec<_>>(),
            } },
            "columnKind": "utf16CodeUnits",
            "results": selected.iter().map(|(report, remark)| result(report, remark)).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

fn result(report: &Report, remark: &Remark) -> Value {
    let parts = [Some(remark.message.as_str()), Some(remark.cause.as_str()), remark.remedy.as_deref()];
    let text: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let related: Vec<Value> =
        remark.places.iter().filter(|place| Some(*place) != remark.place()).map(location).collect();
    let own = remark.place().map_or_else(
        || json!({ "physicalLocation": { "artifactLocation": { "uri": report.build.source } } }),
        location,
    );
    json!({
        "ruleId": remark.name,
        "level": if remark.kind == Kind::Done { "none" } else { "note" },
        "message": { "text": text.join(". ") },
        "locations": [own],
        "relatedLocations": related,
        "rank": rank(remark),
        "properties": {
            "kind": remark.kind.name(),
            "depth": remark.depth,
            "frequency": remark.frequency,
            "cost": remark.cost,
        },
    })
}

/// From 0 to 100, by the order of magnitude of the cost.
fn rank(remark: &Remark) -> f64 {
    (remark.cost.max(1.0).log10() * 12.5).clamp(0.0, 100.0)
}

fn location(place: &Place) -> Value {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": place.file },
            "region": { "startLine": place.line.max(1), "startColumn": place.start + 1 },
        },
    })
}

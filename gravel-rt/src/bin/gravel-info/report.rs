//! What was found, as text and as JSON.

use std::fmt::Write as _;

use gravel::provider::survey::{Probe, Survey};
use gravel::settings::{self, Origin, Settings};
use gravel::sys::json::Json;

use super::limits::Limit;

/// A setting in force.
struct SettingInForce {
    name: &'static str,
    value: String,
    origin: Origin,
}

/// Everything.
pub struct Report {
    providers: Vec<Survey>,
    limits: Vec<Limit>,
    settings: Vec<SettingInForce>,
    unknown: Vec<String>,
}

fn origin_name(origin: Origin) -> &'static str {
    match origin {
        Origin::Default => "default",
        Origin::Environment => "environment",
    }
}

fn limit_text(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".into(), |limit| limit.to_string())
}

impl Report {
    /// From its parts; `unknown` are names in the environment that mean nothing.
    pub fn new(in_force: &Settings, unknown: Vec<String>, providers: Vec<Survey>, limits: Vec<Limit>) -> Self {
        let settings = settings::all().iter().filter_map(|setting| {
            let (name, origin) = (setting.name, in_force.origin(setting.name));
            Some(SettingInForce { name, value: in_force.value(name)?, origin })
        });
        Self { providers, limits, settings: settings.collect(), unknown }
    }

    /// For people.
    pub fn to_text(&self) -> String {
        // Writing into a string cannot fail.
        let mut text = format!("Gravel {}\n\nProviders\n", env!("CARGO_PKG_VERSION"));
        for provider in &self.providers {
            let verdict = provider.rejected.as_ref().map_or("usable".into(), |reason| format!("rejected: {reason}"));
            let _ = writeln!(text, "  {} ({}): {verdict}", provider.name, provider.reach);
            for Probe { name, purpose, outcome, .. } in &provider.probes {
                let (mark, note) = match outcome {
                    Ok(note) => ("yes", note),
                    Err(reason) => ("no", reason),
                };
                let _ = writeln!(text, "    {name:<18} {mark:<3}  {note}\n{:26}({purpose})", "");
            }
        }
        text.push_str("\nLimits\n");
        for Limit { name, soft, hard, needed_for } in &self.limits {
            let (soft, hard) = (limit_text(*soft), limit_text(*hard));
            let _ = writeln!(text, "  {name:<18} {soft} (can be raised to {hard}): {needed_for}");
        }
        text.push_str("\nSettings\n");
        for SettingInForce { name, value, origin } in &self.settings {
            let _ = writeln!(text, "  {name:<18} {value} ({})", origin_name(*origin));
        }
        for name in &self.unknown {
            let _ = writeln!(text, "  {name:<18} is unknown, and ignored");
        }
        text
    }

    /// For programs.
    pub fn to_json(&self) -> Json {
        let providers = self.providers.iter().map(|provider| {
            let probes = provider.probes.iter().map(|Probe { name, purpose, outcome, .. }| {
                Json::Object(vec![
                    ("name", Json::text(*name)),
                    ("purpose", Json::text(*purpose)),
                    ("usable", outcome.is_ok().into()),
                    ("note", outcome.clone().ok().into()),
                    ("reason", outcome.clone().err().into()),
                ])
            });
            Json::Object(vec![
                ("name", Json::text(provider.name)),
                ("reach", Json::text(provider.reach)),
                ("usable", provider.rejected.is_none().into()),
                ("reason", provider.rejected.clone().into()),
                ("probes", Json::Array(probes.collect())),
            ])
        });
        let number = |limit: Option<u64>| limit.map_or(Json::Null, Json::Number);
        let limits = self.limits.iter().map(|limit| {
            Json::Object(vec![
                ("name", Json::text(limit.name)),
                ("soft", number(limit.soft)),
                ("hard", number(limit.hard)),
                ("needed_for", Json::text(limit.needed_for)),
            ])
        });
        let settings = self.settings.iter().map(|SettingInForce { name, value, origin }| {
            Json::Object(vec![
                ("name", Json::text(*name)),
                ("value", Json::text(value)),
                ("source", Json::text(origin_name(*origin))),
            ])
        });
        Json::Object(vec![
            ("version", Json::text(env!("CARGO_PKG_VERSION"))),
            ("providers", Json::Array(providers.collect())),
            ("limits", Json::Array(limits.collect())),
            ("settings", Json::Array(settings.collect())),
            ("unknown_settings", Json::Array(self.unknown.iter().map(Json::text).collect())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let variables = [("GRAVEL_SPIN", "7"), ("GRAVEL_SPUN", "8")].map(|(name, value)| (name.into(), value.into()));
        let (settings, unknown) = Settings::from_variables(variables).unwrap();
        let provider = Survey {
            name: "shm",
            reach: "ranks of one host",
            rejected: Some("memfd: refused".into()),
            probes: vec![Probe { name: "memfd", purpose: "segments", is_needed: true, outcome: Err("refused".into()) }],
        };
        let limit = Limit { name: "RLIMIT_NOFILE", soft: Some(1024), hard: None, needed_for: "descriptors" };
        Report::new(&settings, unknown, vec![provider], vec![limit])
    }

    #[test]
    fn reasons_limits_and_sources_are_told() {
        let text = report().to_text();
        for expected in [
            "shm (ranks of one host): rejected: memfd: refused",
            "RLIMIT_NOFILE      1024 (can be raised to unlimited)",
            "GRAVEL_SPIN        7 (environment)",
            "GRAVEL_TILE        by message size (default)",
            "GRAVEL_SPUN        is unknown",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
    }

    #[test]
    fn json_holds_the_same() {
        let json: serde_json::Value = serde_json::from_str(&report().to_json().to_string()).unwrap();
        assert_eq!(json["providers"][0]["reason"], "memfd: refused");
        assert_eq!(json["providers"][0]["probes"][0]["usable"], false);
        assert_eq!(json["limits"][0]["hard"], serde_json::Value::Null);
        let spin =
            json["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == "GRAVEL_SPIN").unwrap();
        assert_eq!((&spin["value"], &spin["source"]), (&serde_json::json!("7"), &serde_json::json!("environment")));
        assert_eq!(json["unknown_settings"], serde_json::json!(["GRAVEL_SPUN"]));
    }
}

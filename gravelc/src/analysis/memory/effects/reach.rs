//! What a call of a procedure has to do with others than whoever calls it.

use std::collections::BTreeSet;

use crate::ir::{Place, Procedure, ProcedureId, Symbol};

use super::summary::Summaries;

impl Summaries<'_> {
    /// What somebody could notice of a call of the procedure besides its value, as the end of a sentence that begins with its
    /// name; also that it reads what no name here stands for.
    pub(in crate::analysis) fn noticeable_effect(&self, id: ProcedureId) -> Option<String> {
        let summary = self.of(id);
        if let Some(why) = &summary.may_not_return {
            return Some(format!("may not return: {why}"));
        }
        let writes = !summary.dummies_written.is_empty()
            || !summary.places_written.is_empty()
            || !summary.blocks_written.is_empty()
            || summary.writes_targets
            || !summary.objects_written.is_empty()
            || summary.keeps_state
            || summary.keeps_private_state;
        let reads_more = summary.reads_targets || !summary.objects_read.is_empty() || !summary.blocks_read.is_empty();
        let found = if summary.everything {
            "may do anything"
        } else if summary.external {
            "has an effect that others can see"
        } else if writes {
            "changes variables that outlive it"
        } else if reads_more {
            "reads memory that is not told by names"
        } else {
            return None;
        };
        Some(found.to_owned())
    }

    /// What a call of the procedure has to do with others than whoever handed over its arguments, as the end of a sentence
    /// that begins with its name.
    pub(in crate::analysis) fn reach_beyond_arguments(&self, id: ProcedureId) -> Option<String> {
        let summary = self.of(id);
        if let Some(why) = &summary.may_not_return {
            return Some(format!("may not return: {why}"));
        }
        let (places, blocks) =
            ([&summary.places_read, &summary.places_written], [&summary.blocks_read, &summary.blocks_written]);
        let uses_others =
            places.iter().any(|places| !places.is_empty()) || blocks.iter().any(|blocks| !blocks.is_empty());
        let found = if summary.everything {
            "may do anything"
        } else if summary.external {
            "has an effect that others can see"
        } else if summary.keeps_state || summary.keeps_private_state {
            "changes variables that outlive it"
        } else if uses_others
            || summary.reads_targets
            || summary.writes_targets
            || !summary.objects_read.is_empty()
            || !summary.objects_written.is_empty()
        {
            "uses other variables than its arguments"
        } else {
            return None;
        };
        Some(found.to_owned())
    }

    /// The variables that a call of the procedure by `caller` uses without that one having a name for them, each with whether it may
    /// be written.
    ///
    /// # Errors
    /// Why they are not all that it uses besides its arguments and what `caller` names, as the end of a sentence that begins with the
    /// procedure's name. That it communicates is no such reason if `may_communicate`.
    pub(in crate::analysis) fn unnamed_places(
        &self,
        caller: &Procedure,
        id: ProcedureId,
        may_communicate: bool,
    ) -> Result<Vec<(Place, bool)>, String> {
        let summary = self.of(id);
        if let Some(why) = &summary.may_not_return {
            return Err(format!("may not return: {why}"));
        }
        let uses_pointers = summary.reads_targets
            || summary.writes_targets
            || !summary.objects_read.is_empty()
            || !summary.objects_written.is_empty();
        let obstacles = [
            (summary.everything, "may do anything"),
            (summary.external && !may_communicate, "has an effect that others can see"),
            (summary.keeps_private_state, "changes variables that outlive it and have no name elsewhere"),
            (uses_pointers, "uses memory to which pointers lead"),
            (!summary.blocks_read.is_empty() || !summary.blocks_written.is_empty(), "uses COMMON blocks"),
        ];
        if let Some((_, why)) = obstacles.into_iter().find(|(holds, _)| *holds) {
            return Err(why.to_owned());
        }
        let named: BTreeSet<&Place> = caller.symbols.iter().filter_map(Symbol::known_place).collect();
        let all: BTreeSet<&Place> = summary.places_read.iter().chain(&summary.places_written).collect();
        let unnamed = all.into_iter().filter(|place| !named.contains(place));
        Ok(unnamed.map(|place| (place.clone(), summary.places_written.contains(place))).collect())
    }
}

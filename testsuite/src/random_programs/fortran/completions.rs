//! Calls that complete what happens to be over, as Fortran.

use super::statements::Block;
use crate::random_programs::program::{Completion, CompletionKind};

impl Block<'_, '_> {
    pub(super) fn completion(&mut self, completion: &Completion) {
        let (error, status) = (self.error(), self.status());
        let count = self.expression(&completion.count);
        let answer = self.scalar(completion.answer);
        let requests = match completion.kind {
            CompletionKind::Test => self.request(&completion.first),
            _ => self.requests_from(&completion.first, &completion.count),
        };
        let places = completion.places.map_or(String::new(), |places| self.array(places));
        match completion.kind {
            CompletionKind::Test => {
                self.line(&format!("call mpi_test({requests}, flag, {status}{error})"));
                self.line(&format!("{answer} = merge(1, 0, flag)"));
            }
            CompletionKind::TestAll => {
                self.line(&format!("call mpi_testall({count}, {requests}, flag, mpi_statuses_ignore{error})"));
                self.line(&format!("{answer} = merge(1, 0, flag)"));
            }
            CompletionKind::WaitAny => {
                self.line(&format!("call mpi_waitany({count}, {requests}, {answer}, {status}{error})"));
            }
            CompletionKind::TestAny => {
                self.line(&format!("call mpi_testany({count}, {requests}, {answer}, flag, {status}{error})"));
                self.line(&format!("if (.not. flag) {answer} = 0"));
            }
            CompletionKind::WaitSome | CompletionKind::TestSome => {
                let name = if completion.kind.waits() { "mpi_waitsome" } else { "mpi_testsome" };
                let line = format!("call {name}({count}, {requests}, {answer}, {places}, mpi_statuses_ignore{error})");
                self.line(&line);
            }
        }
    }
}

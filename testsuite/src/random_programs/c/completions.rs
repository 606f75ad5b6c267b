//! Calls that complete what happens to be over, as C: places of requests count from 0 there.

use super::statements::{Block, Shape};
use crate::random_programs::program::{Completion, CompletionKind};

impl Block<'_, '_> {
    pub(super) fn completion(&mut self, completion: &Completion) {
        let status = self.status();
        let count = self.expression(&completion.count);
        let answer = self.scalar(completion.answer);
        let requests = match completion.kind {
            CompletionKind::Test => self.request(&completion.first),
            _ => self.requests_from(&completion.first),
        };
        match completion.kind {
            CompletionKind::Test | CompletionKind::TestAll => {
                self.needs.flag = true;
                match completion.kind {
                    CompletionKind::Test => self.mpi(&format!("MPI_Test({requests}, &flag, {status})")),
                    _ => self.mpi(&format!("MPI_Testall({count}, {requests}, &flag, MPI_STATUSES_IGNORE)")),
                }
                let answered = if self.chance(50) { "flag ? 1 : 0" } else { "flag != 0" };
                self.simple(&format!("{answer} = {answered}"));
            }
            CompletionKind::WaitAny => {
                self.needs.index = true;
                self.mpi(&format!("MPI_Waitany({count}, {requests}, &index, {status})"));
                self.simple(&format!("{answer} = index + 1"));
            }
            CompletionKind::TestAny => {
                self.needs.flag = true;
                self.needs.index = true;
                self.mpi(&format!("MPI_Testany({count}, {requests}, &index, &flag, {status})"));
                self.simple(&format!("{answer} = flag ? index + 1 : 0"));
            }
            CompletionKind::WaitSome | CompletionKind::TestSome => {
                let name = if completion.kind.waits() { "MPI_Waitsome" } else { "MPI_Testsome" };
                let places = completion.places.map_or("NULL".to_owned(), |places| self.array(places));
                self.mpi(&format!("{name}({count}, {requests}, &{answer}, {places}, MPI_STATUSES_IGNORE)"));
                // Without requests that are active the answer is a negative number.
                self.line(&format!("for (int at = 0; at < {answer}; at++)"));
                self.depth += 1;
                self.line(&format!("{places}[at]++;"));
                self.depth -= 1;
                self.end_statement(Shape::Compound);
            }
        }
    }
}

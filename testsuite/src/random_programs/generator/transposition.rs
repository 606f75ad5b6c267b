//! Exchanges of everyone with everyone, between loops that fill and use the blocks.

use super::*;

/// Ranks that a program may have.
const MOST_RANKS: usize = 4;

impl Generator {
    /// All ranks exchange blocks.
    pub(super) fn transposition(&mut self) -> Vec<Statement> {
        let element = self.element();
        let block = self.random.usize(1..40);
        let least = MOST_RANKS * block;
        let (sent, received) = if element == Element::Double && self.chance(50) {
            (self.matrix(block, MOST_RANKS), self.matrix(block, MOST_RANKS))
        } else {
            (self.array(element, least), self.array(element, least))
        };
        let mut body = self.filling(sent, 0, least);
        let count = self.counted(block);
        body.push(Statement::Communicate(Communication::AllToAll { sent, received, block: count }));
        body.extend(self.using(received, 0, least));
        let noises = self.random.usize(0..3);
        for _ in 0..noises {
            let at = self.random.usize(0..=body.len());
            let noise = self.noise(1, None);
            body.splice(at..at, noise);
        }
        if self.chance(30) {
            body = vec![Statement::Loop {
                variable: TIME,
                lower: Expression::Literal(1),
                upper: Expression::Literal(self.random.i64(2..4)),
                step: 1,
                body,
            }];
        }
        body
    }
}

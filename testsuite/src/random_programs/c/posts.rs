//! Requests that are posted one behind the other and waited for together: C programs count them, `&rq[n++]`.

use crate::random_programs::program::{Communication, Expression, RequestId, RequestPlace, Statement};

/// Posts of the elements of an array of requests from the first one on, and the wait for all of them, in one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Posts {
    pub requests: RequestId,
    /// The statements of the block: posts, then the wait.
    statements: Vec<usize>,
}

impl Posts {
    /// The first post.
    pub(super) fn first(&self) -> usize {
        self.statements[0]
    }

    /// Is this statement one of them?
    pub(super) fn includes(&self, statement: usize) -> bool {
        self.statements.contains(&statement)
    }
}

/// Those of a block.
pub(super) fn counted(block: &[Statement], is_array: &dyn Fn(RequestId) -> bool) -> Vec<Posts> {
    let mut found = Vec::new();
    for (end, statement) in block.iter().enumerate() {
        let Statement::Communicate(Communication::WaitAll(
            requests,
            Expression::Literal(1),
            Expression::Literal(count),
        )) = statement
        else {
            continue;
        };
        let is_wait = |statement: &Statement| matches!(statement, Statement::Communicate(Communication::WaitAll(other, ..)) if other == requests);
        let begin = block[..end].iter().rposition(is_wait).map_or(0, |wait| wait + 1);
        let posts: Vec<(usize, Option<i64>)> =
            (begin..end).filter_map(|at| Some((at, element(&block[at], *requests)?))).collect();
        let are_in_order = (1..).zip(&posts).all(|(number, (_, element))| *element == Some(number));
        if are_in_order && i64::try_from(posts.len()) == Ok(*count) && !posts.is_empty() && is_array(*requests) {
            let statements = posts.iter().map(|(at, _)| *at).chain([end]).collect();
            found.push(Posts { requests: *requests, statements });
        }
    }
    found
}

/// The element of the array that a statement posts, if it posts one: its number, where that is known.
fn element(statement: &Statement, requests: RequestId) -> Option<Option<i64>> {
    let Statement::Communicate(
        Communication::Send { request: Some(place), .. } | Communication::Receive { request: Some(place), .. },
    ) = statement
    else {
        return None;
    };
    match place {
        RequestPlace { variable, element: Some(Expression::Literal(number)) } if *variable == requests => {
            Some(Some(*number))
        }
        RequestPlace { variable, .. } if *variable == requests => Some(None),
        _ => None,
    }
}

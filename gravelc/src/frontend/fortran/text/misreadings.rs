//! Where the tree is not as the statements are, though the grammar finds no error: to the grammar a statement goes on in the
//! next line wherever it could not end yet (`use`, `do i = 1,`), and the word END alone ends a loop or a choice
//! as well as a procedure.

use std::ops::Range;

use super::classify::{Role, StatementText};
use super::lexer::Lexed;
use super::syntax_tree::{Node, SyntaxTree};

/// The nodes that have statements inside. All others lie in one.
const OF_STATEMENTS: [&str; 31] = [
    "associate_statement",
    "block_construct",
    "block_data",
    "case_statement",
    "coarray_critical_statement",
    "coarray_team_statement",
    "derived_type_definition",
    "derived_type_procedures",
    "do_loop",
    "else_clause",
    "elseif_clause",
    "elsewhere_clause",
    "enum",
    "enumeration_type",
    "forall_statement",
    "function",
    "if_statement",
    "interface",
    "internal_procedures",
    "module",
    "module_procedure",
    "program",
    "rank_statement",
    "select_case_statement",
    "select_rank_statement",
    "select_type_statement",
    "submodule",
    "subroutine",
    "translation_unit",
    "type_statement",
    "where_statement",
];
/// The ends that may be the word END alone (Fortran 2018, R1403, R1406, R1419, R1422, R1533, R1537 and R1540).
const ENDS_OF_UNITS: [&str; 7] = [
    "end_program_statement",
    "end_module_statement",
    "end_submodule_statement",
    "end_block_data_statement",
    "end_function_statement",
    "end_subroutine_statement",
    "end_module_procedure_statement",
];

/// The numbers of the statements that the tree misreads. `text` is the whole file.
pub(super) fn misread(tree: &SyntaxTree, text: &[u8], lexed: &Lexed) -> Vec<usize> {
    let mut found = Vec::new();
    // The nodes around, with their first statements.
    let mut around: Vec<(Node<'_>, usize)> = Vec::new();
    let root = tree.root_node();
    let mut next = Some(root);
    while let Some(node) = next {
        next = node.next_behind(root);
        while around.last().is_some_and(|(above, _)| node.parent() != Some(*above)) {
            around.pop();
        }
        let statements = statements_of(node, lexed);
        // What is an error has been found out already.
        let holds_several = statements.len() > 1 && !node.is_error();
        if holds_several && !OF_STATEMENTS.contains(&node.kind()) || is_end_of_other(node, &statements, text, lexed) {
            found.extend(statements);
        } else if let Some(&(_, first)) = around.last()
            && is_word_of_header(node)
            && first < statements.start
        {
            found.extend(first..statements.end);
        } else if holds_several {
            around.push((node, statements.start));
            next = node.next_below(root);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The numbers of the statements in which the node lies.
fn statements_of(node: Node<'_>, lexed: &Lexed) -> Range<usize> {
    let behind = lexed.statements.partition_point(|statement| statement.start < node.end_byte());
    let first = lexed.statements.partition_point(|statement| statement.start <= node.start_byte());
    first.saturating_sub(1).min(behind)..behind
}

/// Is it one of the words and signs of which nodes with statements have some in their first statement, and nowhere else?
fn is_word_of_header(node: Node<'_>) -> bool {
    let is_word = !node.is_named() && node.kind() != ";" || node.kind() == "default";
    is_word && node.start_byte() < node.end_byte()
}

/// Does the tree take a lone END, or the end of a procedure, for the end of something else?
fn is_end_of_other(node: Node<'_>, statements: &Range<usize>, text: &[u8], lexed: &Lexed) -> bool {
    let kind = node.kind();
    let is_other = kind.starts_with("end_") && kind.ends_with("_statement") && !ENDS_OF_UNITS.contains(&kind);
    let statement = lexed.statements[statements.clone()].first();
    is_other && statement.is_some_and(|statement| StatementText::new(text, lexed, statement).role() == Role::UnitEnd)
}

#[cfg(test)]
mod tests {
    use tree_sitter::Parser;

    use super::super::lexer::lex;
    use super::*;

    /// The statements that are misread in a text in which the grammar finds no error.
    fn misread_in(text: &str) -> Vec<&str> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_fortran::LANGUAGE.into()).unwrap();
        let tree = parser.parse(text, None).unwrap();
        assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
        let tree = SyntaxTree::of(&tree);
        let lexed = lex(text.as_bytes());
        let statement = |number: usize| &text[lexed.statements[number].start..lexed.statements[number].end];
        misread(&tree, text.as_bytes(), &lexed).into_iter().map(statement).collect()
    }

    #[test]
    fn statements_that_go_on_in_the_next_line() {
        assert_eq!(misread_in("subroutine s\nuse\nmpi\nx = 1\nend\n"), ["use", "mpi"]);
        assert_eq!(misread_in("subroutine s\ndo i = 1,\nn * s\nx = 1\nend do\nend\n"), ["do i = 1,", "n * s"]);
        assert_eq!(misread_in("subroutine s\nx = 1 +\n\n! more\nf(x)\nend\n"), ["x = 1 +", "f(x)"]);
        assert_eq!(misread_in("subroutine s\ncall t(x,\ny)\nend\n"), ["call t(x,", "y)"]);
    }

    #[test]
    fn choices_whose_first_statement_goes_on_in_the_next_line() {
        assert_eq!(misread_in("subroutine s\nif\n(x > 0) then\nx = 1\nend if\nend\n"), ["if", "(x > 0) then"]);
        assert_eq!(misread_in("subroutine s\nif (x > 0)\nthen\nx = 1\nend if\nend\n"), ["if (x > 0)", "then"]);
    }

    #[test]
    fn branches_whose_first_statement_goes_on_in_the_next_line() {
        let text = "subroutine s\nselect case (i)\ncase\ndefault\nx = 2\nend select\nend\n";
        assert_eq!(misread_in(text), ["case", "default"]);
    }

    #[test]
    fn the_nodes_with_statements_are_those_of_the_grammar() {
        let kinds: serde_json::Value = serde_json::from_str(tree_sitter_fortran::NODE_TYPES).unwrap();
        let name = |kind: &serde_json::Value| kind["type"].as_str().unwrap_or_default().to_owned();
        let kinds = kinds.as_array().unwrap();
        for kind in kinds {
            let children = kind["children"]["types"].as_array().cloned().unwrap_or_default();
            let has_end = children.iter().map(name).any(|child| child.starts_with("end_"));
            assert!(!has_end || OF_STATEMENTS.contains(&name(kind).as_str()), "{}", name(kind));
        }
        for expected in OF_STATEMENTS.iter().chain(&ENDS_OF_UNITS) {
            assert!(kinds.iter().any(|kind| name(kind) == **expected), "{expected}");
        }
    }

    #[test]
    fn ends_of_procedures_that_end_loops() {
        assert_eq!(misread_in("subroutine s\ndo i = 1, 2\nx = i\nend\nend\n"), ["end"]);
        assert_eq!(misread_in("if (x > 0) then\nx = 1\nend\nend program\n"), ["end"]);
    }

    #[test]
    fn statements_of_all_kinds_that_are_as_they_seem() {
        for text in [
            "program p\nuse mpi, only: &\n  a, & ! one\n  b\nimplicit none; integer :: i\ni = 1; i = &\n  2\nend\n",
            "subroutine s\nif (x > 0) y = 1\nif (x > 0) &\n  call t(x)\nif (x > 0) &\nthen\nx = 1\nelse if (x < 0) then\n\
             x = 2\nelse\nif (y > 0) then\nx = 3\nend if\nend if\nend\n",
            "subroutine s\ndo 10 i = 1, 2\ndo 10 j = 1, 2\n10 x = i\ndo 20 i = 1, 2\n20 continue\ndo while (x > 0)\nend do\n\
             outer: do\nexit outer\n30 end do outer\nend\n",
            "subroutine s\nwhere (x > 0) y = 1\nwhere (x > 0)\ny = 1\nelse where\ny = 2\nend where\nforall (i = 1:2) y(i) = 1\n\
             forall (i = 1:2)\ny(i) = 1\nend forall\nend\n",
            "subroutine s\nselect case (i)\ncase (1, &\n  2)\nx = 1\ncase default\nx = 2\nend select\nselect type (a)\n\
             type is (t)\nx = 1\nclass default\nx = 2\nend select\nend\n",
            "subroutine s\nassociate (a => b, &\n  c => d)\na = c\nend associate\nblock\ninteger :: i\ni = 1\nend block\n\
             critical\nx = 1\nend critical\nend\n",
            "module m\ntype :: t\nprivate\ninteger :: i\ncontains\nprocedure :: f\nend type t\ninterface\nsubroutine a(x)\nend\n\
             end interface\nenum, bind(c)\nenumerator :: e\nend enum\ncontains\nfunction f(x)\nf = x\nend function\n\
             subroutine a\ncontains\nsubroutine b\nend\nend\nend\n",
            "subroutine s\nselect rank (a)\nrank (1)\nx = 1\nrank default\nx = 2\nend select\nchange team (t)\nx = 1\nend team\nend\n",
            "block data\ncommon /c/ x\ndata x /1.0/\nend block data\nsubmodule (m) n\ncontains\nmodule procedure f\nend\nend\n",
        ] {
            assert!(misread_in(text).is_empty(), "{text}\n{:?}", misread_in(text));
        }
    }
}

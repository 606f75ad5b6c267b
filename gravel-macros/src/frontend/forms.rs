//! Statements that are loops in other words: `a.iter_mut().zip(&b).for_each(|(x, y)| ...)`, `a.fill(v)`, `a.copy_from_slice(&b)`.
//!
//! They are read, and cut, as the loops that they are. Where they are not cut they stay as they are written.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprForLoop, ExprMethodCall, Stmt, parse2};

use super::calls::calls_in;
use super::expressions::bare;
use super::iterators::Iterated;

/// The loop that a statement is.
pub fn as_loop(expression: &Expr) -> Option<ExprForLoop> {
    let Expr::MethodCall(call) = expression else { return None };
    if call.turbofish.is_some() || call.args.len() != 1 {
        return None;
    }
    match call.method.to_string().as_str() {
        "for_each" => for_each(call),
        "fill" => filled(call),
        "copy_from_slice" => copied(call),
        _ => None,
    }
}

/// The two arrays of a `copy_from_slice`, which have to be of one length.
pub fn copied_arrays(expression: &Expr) -> Option<(Expr, Expr)> {
    let Expr::MethodCall(call) = expression else { return None };
    if call.method != "copy_from_slice" || as_loop(expression).is_none() {
        return None;
    }
    Some((bare(&call.receiver).clone(), whole(call.args.first()?)?.clone()))
}

/// `iterator.for_each(|pattern| body)`. What the closure holds is what the loop holds: it must not return, nor call what only a
/// loop of the text can be looked into for, and `move` would copy what it counts.
fn for_each(call: &ExprMethodCall) -> Option<ExprForLoop> {
    let Expr::Closure(closure) = bare(call.args.first()?) else { return None };
    let iterated = Iterated::of(&call.receiver).filter(|_| matches!(bare(&call.receiver), Expr::MethodCall(_)))?;
    let [pattern] = closure.inputs.iter().collect::<Vec<_>>()[..] else { return None };
    iterated.named(pattern)?;
    if !is_simple(closure) {
        return None;
    }
    let (iterator, body) = (&call.receiver, &*closure.body);
    let span = call.method.span();
    let tokens = match body {
        Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
            quote_spanned!(span=> for #pattern in #iterator #body)
        }
        Expr::If(_) | Expr::ForLoop(_) | Expr::Match(_) => quote_spanned!(span=> for #pattern in #iterator { #body }),
        _ => quote_spanned!(span=> for #pattern in #iterator { #body; }),
    };
    parse2(tokens).ok()
}

fn is_simple(closure: &ExprClosure) -> bool {
    struct Leaves(bool);
    impl<'a> Visit<'a> for Leaves {
        fn visit_expr_return(&mut self, _: &'a syn::ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_try(&mut self, _: &'a syn::ExprTry) {
            self.0 = true;
        }
        fn visit_expr_await(&mut self, _: &'a syn::ExprAwait) {
            self.0 = true;
        }
        // A `return` may be in it.
        fn visit_macro(&mut self, _: &'a syn::Macro) {
            self.0 = true;
        }
        fn visit_item(&mut self, _: &'a syn::Item) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'a ExprClosure) {
            self.0 = true;
        }
    }
    let has_words = closure.lifetimes.is_some()
        || closure.capture.is_some()
        || closure.asyncness.is_some()
        || closure.constness.is_some()
        || !closure.attrs.is_empty();
    let mut leaves = Leaves(false);
    visit::visit_expr(&mut leaves, &closure.body);
    !has_words
        && matches!(closure.output, syn::ReturnType::Default)
        && !leaves.0
        && calls_in(|finder| finder.visit_expr(&closure.body)).is_empty()
}

/// The name of an element, which no name of the program means.
fn element(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// `array.fill(value)`: the value has no effect if it is one that is followed.
fn filled(call: &ExprMethodCall) -> Option<ExprForLoop> {
    let array = place(&call.receiver)?;
    let (value, x) = (call.args.first()?, element("gravel_filled"));
    parse2(quote_spanned!(call.method.span()=> for #x in #array.iter_mut() { *#x = #value; })).ok()
}

/// `array.copy_from_slice(&other)`, if both are as long: what is cut is cut under that condition.
fn copied(call: &ExprMethodCall) -> Option<ExprForLoop> {
    let (array, other) = (place(&call.receiver)?, whole(call.args.first()?)?);
    let (x, y) = (element("gravel_filled"), element("gravel_copied"));
    parse2(quote_spanned!(call.method.span()=> for (#x, #y) in #array.iter_mut().zip(#other.iter()) { *#x = *#y; }))
        .ok()
}

fn place(expression: &Expr) -> Option<&Expr> {
    let place = bare(expression);
    matches!(place, Expr::Path(_) | Expr::Field(_)).then_some(place)
}

/// The array in `&array`, `&array[..]`, or `array`, which is a slice then.
fn whole(argument: &Expr) -> Option<&Expr> {
    match bare(argument) {
        Expr::Reference(reference) if reference.attrs.is_empty() && reference.mutability.is_none() => {
            match bare(&reference.expr) {
                Expr::Index(index) => match bare(&index.index) {
                    Expr::Range(range) if range.start.is_none() && range.end.is_none() => place(&index.expr),
                    _ => None,
                },
                other => place(other),
            }
        }
        other => place(other),
    }
}

/// Writes `for_each` as the loop that it is, in all statements of a block.
pub struct ForEach;

impl syn::visit_mut::VisitMut for ForEach {
    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        if let Stmt::Expr(expression, _) = statement
            && matches!(expression, Expr::MethodCall(call) if call.method == "for_each")
            && let Some(repeated) = as_loop(expression)
        {
            *statement = Stmt::Expr(Expr::ForLoop(repeated), None);
        }
        syn::visit_mut::visit_stmt_mut(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn written(text: &str) -> Option<String> {
        let found = as_loop(&syn::parse_str(text).unwrap())?;
        Some(found.to_token_stream().to_string().replace(' ', ""))
    }

    #[test]
    fn statements_are_the_loops_that_they_are() {
        assert_eq!(
            written("a.iter_mut().zip(&b).for_each(|(x, y)| *x += y)").unwrap(),
            "for(x,y)ina.iter_mut().zip(&b){*x+=y;}"
        );
        assert_eq!(written("a.iter().for_each(|x| { sum += x })").unwrap(), "forxina.iter(){sum+=x}");
        assert_eq!(written("self.a.fill(2.0)").unwrap(), "forgravel_filledinself.a.iter_mut(){*gravel_filled=2.0;}");
        assert!(written("a.copy_from_slice(&b[..])").is_some() && written("a.copy_from_slice(self.b)").is_some());
    }

    #[test]
    fn others_are_left() {
        for text in [
            "a.iter().for_each(move |x| sum += x)",
            "a.iter().for_each(|x| -> () { sum += x })",
            "a.iter().for_each(|x: &f64| sum += x)",
            "a.iter().for_each(|x| { if *x > 1.0 { return; } sum += x; })",
            "a.iter().for_each(|x| println!(\"{x}\"))",
            "a.iter().for_each(|x| comm.send(x, 1, 2).unwrap())",
            "a.iter().for_each(push)",
            "a.iter().rev().for_each(|x| sum += x)",
            "a[1..].fill(2.0)",
            "a.copy_from_slice(&b[1..])",
            "a.copy_from_slice(&b()[..])",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
    }
}

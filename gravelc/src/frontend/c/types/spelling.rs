//! Types as C text.

use super::{ArrayLength, Qualifiers, RecordKind, Type, TypeKind, Types};
use crate::frontend::c::tokens::Names;

/// The type as C writes it, for `inner` (a name, or nothing for a type name).
pub fn spell(types: &Types, names: &Names, ty: Type, inner: &str) -> String {
    let with = |base: String| {
        let mut text = String::new();
        for (qualifier, word) in [(Qualifiers::CONST, "const "), (Qualifiers::VOLATILE, "volatile ")] {
            text += if ty.qualifiers.has(qualifier) { word } else { "" };
        }
        text += if ty.qualifiers.has(Qualifiers::ATOMIC) { "_Atomic " } else { "" };
        text += &base;
        if !inner.is_empty() {
            text += " ";
            text += inner;
        }
        text
    };
    let tagged = |word: &str, tag| format!("{word} {}", Option::map_or(tag, "<anonymous>", |tag| names.text(tag)));
    match types.kind(ty.id) {
        TypeKind::Void => with("void".to_string()),
        TypeKind::Integer(integer) => with(integer.spelling().to_string()),
        TypeKind::Float(float) => with(float.spelling().to_string()),
        TypeKind::Complex(float) => with(format!("{} _Complex", float.spelling())),
        TypeKind::Enum(id) => with(tagged("enum", types.enumeration(id).tag)),
        TypeKind::Record(id) => {
            let record = types.record(id);
            with(tagged(if record.kind == RecordKind::Struct { "struct" } else { "union" }, record.tag))
        }
        TypeKind::Vector { element, bytes } => {
            let element = spell(types, names, element.into(), "");
            with(format!("__typeof__({element} __attribute__((vector_size({bytes}))))"))
        }
        TypeKind::Pointer(to) => {
            let mut pointer = "*".to_string();
            let words =
                [(Qualifiers::CONST, "const"), (Qualifiers::VOLATILE, "volatile"), (Qualifiers::RESTRICT, "restrict")];
            for (_, word) in words.into_iter().filter(|(qualifier, _)| ty.qualifiers.has(*qualifier)) {
                pointer += word;
                pointer += " ";
            }
            pointer += inner;
            let is_direct = !matches!(types.kind(to.id), TypeKind::Array { .. } | TypeKind::Function(_));
            spell(types, names, to, &if is_direct { pointer } else { format!("({pointer})") })
        }
        TypeKind::Array { element, length } => {
            let length = match length {
                ArrayLength::Constant(length) => length.to_string(),
                ArrayLength::Incomplete => String::new(),
                ArrayLength::Variable(_) | ArrayLength::Star | ArrayLength::Unspecified => "*".to_string(),
            };
            spell(types, names, element, &format!("{inner}[{length}]"))
        }
        TypeKind::Function(id) => {
            let function = types.function(id);
            let mut parameters: Vec<String> =
                function.parameters.iter().map(|ty| spell(types, names, *ty, "")).collect();
            if function.is_variadic {
                parameters.push("...".to_string());
            } else if parameters.is_empty() && function.has_prototype {
                parameters.push("void".to_string());
            }
            let parameters = if function.has_prototype { parameters.join(", ") } else { String::new() };
            spell(types, names, function.result, &format!("{inner}({parameters})"))
        }
        TypeKind::Opaque(name) => with(names.text(name).to_string()),
        TypeKind::Adjusted { .. } | TypeKind::Unknown(_) => with("<unknown>".to_string()),
    }
}

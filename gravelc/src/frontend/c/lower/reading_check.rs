//! Does gravelc read the files as the compiler does that builds them? Where it does not, what it says of them is worth nothing.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::frontend::FrontendOptions;
use crate::frontend::c::preprocess::agrees;
use crate::ir::{FileId, SourceFile, Span};

/// For each file the place where its compiler reads another token, and what it reads. Nothing where the user names no compiler, or
/// it refuses the file.
pub fn differences(files: &[(FileId, SourceFile)], options: &FrontendOptions) -> Vec<Option<(Span, String)>> {
    files.par_iter().map(|(id, file)| difference(*id, file, options.of(&file.path))).collect()
}

fn difference(id: FileId, file: &SourceFile, options: &FrontendOptions) -> Option<(Span, String)> {
    let compiler = options.c_compiler.as_ref()?.compiler();
    // What it refuses becomes no program.
    let found = agrees(&file.path, file.original().to_vec(), &compiler).ok()??;
    let shown = |token: Option<String>| token.map_or("nothing".to_owned(), |token| format!("`{token}`"));
    let message = format!(
        "{} reads {} where gravelc reads {} ({}:{}), so the file is not read",
        compiler.program.display(),
        shown(found.theirs),
        shown(found.ours),
        found.path.display(),
        found.line
    );
    Some((Span { file: id, start: 0, end: file.text.len() }, message))
}

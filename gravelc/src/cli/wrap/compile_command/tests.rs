//! What commands are understood as.

use super::*;

fn command(arguments: &[&str]) -> CompileCommand {
    CompileCommand::new(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
}

#[test]
fn knows_what_a_command_does() {
    let cases: [(&[&str], Stage, usize); 13] = [
        (&["-O2", "a.f90", "b.F90", "-o", "a"], Stage::Link, 2),
        (&["-c", "a.f90", "-o", "b.f90"], Stage::Compile, 1),
        (&["a.o", "b.o", "-o", "a", "-lm"], Stage::Link, 0),
        (&["@objects.rsp", "-o", "a"], Stage::Link, 0),
        (&["-L.", "-lprogram", "-o", "a"], Stage::Link, 0),
        (&["-shared", "a.o", "-o", "a.so"], Stage::Compile, 0),
        (&["-S", "a.for"], Stage::Compile, 1),
        (&["-E", "a.F90"], Stage::Other, 1),
        (&["--version"], Stage::Other, 0),
        (&["-showme:link"], Stage::Other, 0),
        (&["-v"], Stage::Other, 0),
        (&["-I", "a.f90", "-DX=1"], Stage::Other, 0),
        (&[], Stage::Other, 0),
    ];
    for (arguments, stage, sources) in cases {
        let command = command(arguments);
        assert_eq!(
            (command.stage(), command.sources_in(ir::Language::Fortran).len()),
            (stage, sources),
            "{arguments:?}"
        );
    }
}

#[test]
fn replaces_sources_and_keeps_their_folders() {
    let command = command(&["-O2", "src/a.f90", "b.f90", "src/c.f90", "-o", "a", "-I", "inc"]);
    let replacements = ["/t/a.f90", "/t/b.f90", "/t/c.f90"].map(PathBuf::from);
    assert_eq!(
        command.with_replaced_sources(&replacements),
        ["-Isrc", "-I.", "-O2", "/t/a.f90", "/t/b.f90", "/t/c.f90", "-o", "a", "-I", "inc"]
    );
}

#[test]
fn what_it_does_not_show_of_macros_stays_open() {
    let known = |arguments: &[&str]| command(arguments).frontend_options().macros.get("A");
    assert_eq!(known(&["-O2", "-fpp", "a.F90"]), Macro::Undefined);
    assert!(matches!(known(&["-DA(x)=x", "a.F90"]), Macro::WithArguments(_)));
    for argument in ["@flags", "-Wp,-DA", "-WF,-DA", "-Xpreprocessor", "-fpp=-DA", "-Qoption,fpp,-DA", "-specs=s"] {
        assert_eq!(known(&[argument, "a.F90"]), Macro::Unknown, "{argument}");
    }
}

#[test]
fn its_flags_name_no_files() {
    let all = ["a.F90", "-I", "inc", "-O2", "-o", "a", "-MF", "a.d", "-o/tmp/a", "b.o", "-DX", "-fopenmp"];
    assert_eq!(command(&all).flags(), ["-I", "inc", "-O2", "-DX", "-fopenmp"]);
}

#[test]
fn the_language_is_what_the_flag_says() {
    let of = |arguments: &[&str]| {
        let command = command(arguments);
        let sources: Vec<String> =
            command.sources_in(ir::Language::Fortran).iter().map(|source| source.display().to_string()).collect();
        (sources.join(" "), command.names_language(), command.preprocesses(Path::new("a.f90")))
    };
    let expected = |sources: &str, names, preprocesses| (sources.to_string(), names, preprocesses);
    assert_eq!(of(&["-x", "f95-cpp-input", "a.f90", "b.txt", "-o", "a"]), expected("a.f90 b.txt", true, true));
    assert_eq!(of(&["-xf95", "a.f90", "-x", "none", "b.o"]), expected("a.f90", false, false));
    assert_eq!(of(&["-cpp", "-x", "none", "a.f90"]), expected("a.f90", false, true));
    assert_eq!(of(&["-x", "c", "a.f90", "-xnone", "b.f90"]), expected("b.f90", false, false));
    assert_eq!(of(&["-xHost", "a.f90"]), expected("a.f90", false, false));
    assert_eq!(of(&["-x", "f95", "@more", "a.f90"]), expected("a.f90", true, false));
    assert!(command(&["-c", "a.f90"]).assembles() && !command(&["-S", "a.f90"]).assembles());
}

#[test]
fn outputs_have_several_forms() {
    for output in [&["-oa"][..], &["-o", "a"], &["-o./a"], &["--output=a"], &["--output", "a"]] {
        let arguments: Vec<&str> = ["-O2", "a.f90"].iter().chain(output).copied().collect();
        let command = command(&arguments);
        assert_eq!(
            (command.flags(), command.sources_in(ir::Language::Fortran).len()),
            (&["-O2".into()][..], 1),
            "{output:?}"
        );
    }
    assert_eq!(command(&["-openmp", "a.f90"]).flags(), ["-openmp"]);
}

#[test]
fn follows_the_form_of_the_sources() {
    assert_eq!(command(&["a.f"]).frontend_options().form, SourceForm::Auto);
    assert_eq!(command(&["-ffree-form", "a.f"]).frontend_options().form, SourceForm::Free);
    assert_eq!(command(&["-ffixed-form", "a.f90"]).frontend_options().form, SourceForm::Fixed);
    let options = command(&["-Iinc", "-DA=2", "-D", "B", "-UC", "-I", "more", "a.F"]).frontend_options();
    assert_eq!(options.include_folders, ["inc", "more"].map(PathBuf::from));
    let known = ["A", "B", "C", "D", "_OPENMP", "__GNUC__"].map(|name| options.macros.get(name));
    let defined = |value: &str| Macro::Defined(value.to_string());
    let undefined = Macro::Undefined;
    assert_eq!(known, [defined("2"), defined("1"), undefined.clone(), undefined.clone(), undefined, Macro::Unknown]);
    assert_eq!(command(&["-fopenmp", "a.F"]).frontend_options().macros.get("_OPENMP"), Macro::Unknown);
    assert_eq!(command(&["a.f"]).frontend_options().columns, None);
    assert_eq!(command(&["-ffixed-line-length-132", "a.f"]).frontend_options().columns, Some(132));
    assert_eq!(command(&["-ffixed-line-length-none", "a.f"]).frontend_options().columns, Some(0));
    assert_eq!(command(&["-extend-source", "a.f"]).frontend_options().columns, Some(132));
}

//! What the target's ABI decides.

/// The rules of a target, all of which have `int` of 4 bytes, `long` and pointers of 8 (LP64).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Is `char` a signed type?
    pub is_char_signed: bool,
    /// Is `wchar_t` a signed type?
    pub is_wchar_signed: bool,
    /// Are enumerations as small as their values allow (`-fshort-enums`)?
    pub has_short_enums: bool,
    /// Do bit-fields without a name give their type's alignment to the structure, too?
    pub unnamed_bit_fields_align: bool,
    /// What `__attribute__((aligned))` without a number means, in bytes.
    pub largest_alignment: u64,
    /// Is `va_list` an array of one structure (rather than a structure)?
    pub va_list_is_array: bool,
    /// How the structure behind `va_list` is made: its members, as (name, is a pointer).
    pub va_list_members: &'static [(&'static str, bool)],
    /// Is `long double` the x87 format (rather than IEEE binary128)?
    pub has_x87: bool,
}

impl Target {
    /// System V ABI, AMD64 supplement.
    pub const X86_64: Self = Self {
        is_char_signed: true,
        is_wchar_signed: true,
        has_short_enums: false,
        unnamed_bit_fields_align: false,
        largest_alignment: 16,
        va_list_is_array: true,
        va_list_members: &[
            ("gp_offset", false),
            ("fp_offset", false),
            ("overflow_arg_area", true),
            ("reg_save_area", true),
        ],
        has_x87: true,
    };

    /// Procedure call standard for the Arm 64-bit architecture.
    pub const AARCH64: Self = Self {
        is_char_signed: false,
        is_wchar_signed: false,
        unnamed_bit_fields_align: true,
        va_list_is_array: false,
        va_list_members: &[
            ("__stack", true),
            ("__gr_top", true),
            ("__vr_top", true),
            ("__gr_offs", false),
            ("__vr_offs", false),
        ],
        has_x87: false,
        ..Self::X86_64
    };
}

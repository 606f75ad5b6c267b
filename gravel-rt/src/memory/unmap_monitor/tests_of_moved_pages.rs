//! Pages in a memfd: what is emptied reads as zeros at once, and what is written behind it stays.

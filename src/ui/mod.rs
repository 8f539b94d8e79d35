//! What people see: tables, colour, the pager, JSON answers.

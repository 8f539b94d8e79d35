//! Issues: creating, listing and changing them, and their ids.

mod change;
mod editor;
mod filters;
mod forms;
mod home;
mod ids;
mod list;
mod many;
mod near;
mod new;
mod search;
mod show;

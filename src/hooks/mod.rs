//! What each git hook does, and how hooks are installed and taken away again.

//! Which field a column of a table has.

use crate::model::text_enum::text_enum;

text_enum!(
    /// A field that a column can have.
    TableField {
        /// The id, which is needed.
        Id = "id",
        /// The title.
        Title = "title",
        /// The description.
        Description = "description",
        /// The status.
        Status = "status",
        /// The priority.
        Priority = "priority",
        /// The type.
        Type = "type",
        /// Labels, separated by commas.
        Tags = "tags",
        /// Who works on it.
        Assignee = "assignee",
        /// Who reported it.
        Author = "author",
        /// When it was created.
        CreatedAt = "created_at",
        /// When it last changed.
        UpdatedAt = "updated_at",
        /// When it was closed.
        ClosedAt = "closed_at",
        /// The page.
        Url = "url",
    }
);

text_enum!(
    /// Who wrote a table.
    TablePreset {
        /// GitLab.
        Gitlab = "gitlab",
        /// Jira.
        Jira = "jira",
    }
);

impl TablePreset {
    /// The columns that it documents.
    fn columns(self) -> &'static [(TableField, &'static str)] {
        match self {
            Self::Gitlab => &[
                (TableField::Id, "Issue ID"),
                (TableField::Title, "Title"),
                (TableField::Description, "Description"),
                (TableField::Status, "State"),
                (TableField::Tags, "Labels"),
                (TableField::Assignee, "Assignee Username"),
                (TableField::Author, "Author Username"),
                (TableField::CreatedAt, "Created At (UTC)"),
                (TableField::UpdatedAt, "Updated At (UTC)"),
                (TableField::ClosedAt, "Closed At (UTC)"),
                (TableField::Url, "URL"),
            ],
            Self::Jira => &[
                (TableField::Id, "Issue key"),
                (TableField::Title, "Summary"),
                (TableField::Description, "Description"),
                (TableField::Status, "Status"),
                (TableField::Priority, "Priority"),
                (TableField::Type, "Issue Type"),
                (TableField::Tags, "Labels"),
                (TableField::Assignee, "Assignee"),
                (TableField::Author, "Reporter"),
                (TableField::CreatedAt, "Created"),
                (TableField::UpdatedAt, "Updated"),
                (TableField::ClosedAt, "Resolved"),
            ],
        }
    }

    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Gitlab => super::GITLAB,
            Self::Jira => super::PREFIX,
        }
    }

    /// The preset whose id and title columns a table has.
    pub(super) fn detect(columns: &[String]) -> Option<Self> {
        [Self::Gitlab, Self::Jira].into_iter().find(|preset| {
            preset.columns().iter().take(2).all(|(_, name)| columns.iter().any(|column| column == name))
        })
    }
}

/// A column with the field that it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MappedColumn {
    /// The field.
    pub(crate) field: TableField,
    /// The name of the column.
    pub(crate) column: String,
}

/// The field of a column: what `mapped` says, else the preset, else its own name.
pub(super) fn field_of(
    column: &str,
    preset: Option<TablePreset>,
    mapped: &[MappedColumn],
) -> Option<TableField> {
    if let Some(named) = mapped.iter().find(|mapped| mapped.column == column) {
        return Some(named.field);
    }
    let known = match preset {
        Some(preset) => preset.columns().iter().find(|(_, name)| *name == column).map(|(field, _)| *field),
        None => TableField::parse(column),
    };
    known.filter(|field| !mapped.iter().any(|mapped| mapped.field == *field))
}

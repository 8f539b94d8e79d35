//! Build files of Maven, Gradle and .NET: they say what a project depends on, and how its tests run.

use std::collections::BTreeMap;

/// How a line begins that is about a dependency, or about a part of the project.
const OF_DEPENDENCIES: &[&str] = &[
    "<dependency>",
    "</dependency>",
    "<dependencies>",
    "</dependencies>",
    "<groupId>",
    "<artifactId>",
    "<version>",
    "<scope>",
    "<type>",
    "<classifier>",
    "<optional>",
    "<exclusion",
    "</exclusion",
    "<module>",
    "<PackageReference ",
    "<ProjectReference ",
    "<ItemGroup>",
    "</ItemGroup>",
    "implementation",
    "api ",
    "api(",
    "compileOnly",
    "runtimeOnly",
    "testImplementation",
    "testRuntimeOnly",
    "testCompileOnly",
    "annotationProcessor",
    "kapt",
    "classpath",
    "include ",
    "include(",
    "//",
];

/// Whether two versions differ only in lines about dependencies.
pub(super) fn differ_in_dependencies(old: &str, new: &str) -> bool {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for (text, step) in [(old, -1), (new, 1)] {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            *counts.entry(line).or_default() += step;
        }
    }
    let mut changed = counts.into_iter().filter(|(_, count)| *count != 0).map(|(line, _)| line);
    changed.all(|line| OF_DEPENDENCIES.iter().any(|start| line.starts_with(start)))
}

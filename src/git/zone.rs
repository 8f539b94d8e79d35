//! The time zone of this machine, as the C library finds it for git.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use jiff::tz::TimeZone;

/// The zone where `TZ` names no other.
const LOCAL: &str = "/etc/localtime";
/// Where zones are found by their names, unless `TZDIR` names another directory.
const ZONES: &str = "/usr/share/zoneinfo";

/// The variables of the environment that say what the local time zone is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ZoneVariables {
    /// `TZ`: the zone.
    pub(crate) tz: Option<OsString>,
    /// `TZDIR`: where its file is.
    pub(crate) tzdir: Option<OsString>,
}

/// The zone that these variables name, or else the local one; UTC if it cannot be read.
///
/// The system zone of jiff is the same, but jiff looks for its name in the whole database, which took a fifth of a write.
pub(crate) fn local_zone(variables: &ZoneVariables) -> TimeZone {
    zone(variables, Path::new(LOCAL))
}

fn zone(ZoneVariables { tz, tzdir }: &ZoneVariables, local: &Path) -> TimeZone {
    let found = match tz {
        None => zone_of_file(local),
        Some(tz) if tz.is_empty() => None,
        Some(tz) => {
            let name = tz.as_bytes();
            let name = OsStr::from_bytes(name.strip_prefix(b":").unwrap_or(name));
            let folder = tzdir.as_deref().filter(|folder| !folder.is_empty()).unwrap_or(OsStr::new(ZONES));
            zone_of_file(&Path::new(folder).join(name)).or_else(|| TimeZone::posix(name.to_str()?).ok())
        }
    };
    found.unwrap_or(TimeZone::UTC)
}

fn zone_of_file(path: &Path) -> Option<TimeZone> {
    TimeZone::tzif("local", &std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    /// The offset in seconds.
    fn offset(tz: Option<&str>, local: &Path) -> i32 {
        let variables = ZoneVariables { tz: tz.map(OsString::from), tzdir: None };
        zone(&variables, local).to_offset(Timestamp::UNIX_EPOCH).seconds()
    }

    /// A file in the form TZif with one offset.
    fn zone_file(offset: i32) -> Vec<u8> {
        let mut file = b"TZif\0".to_vec();
        file.extend([0; 15]);
        // Only the numbers of kinds of time, and of the letters of their names, are not zero.
        file.extend([0_u32, 0, 0, 0, 1, 4].into_iter().flat_map(u32::to_be_bytes));
        file.extend(offset.to_be_bytes());
        file.extend(b"\0\0XYZ\0");
        file
    }

    #[test]
    fn the_variable_wins_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let local = folder.path().join("localtime");
        assert_eq!(offset(None, &local), 0, "there is no file");
        for seconds in [19_800, -12_600] {
            std::fs::write(&local, zone_file(seconds)).unwrap();
            assert_eq!(offset(None, &local), seconds);
            let named = [("", 0), ("UTC0", 0), ("XYZ-5:30", 19_800), (":XYZ3", -10_800), ("no/such", 0)];
            for (name, expected) in named {
                assert_eq!(offset(Some(name), &local), expected, "{name}");
            }
        }
        std::fs::write(&local, "no zone").unwrap();
        assert_eq!(offset(None, &local), 0);
    }

    #[test]
    fn zones_are_found_in_the_directory_that_the_variable_names() {
        let folder = tempfile::tempdir().unwrap();
        let not_utf8 = OsStr::from_bytes(b"zone-\xff");
        std::fs::write(folder.path().join(not_utf8), zone_file(19_800)).unwrap();
        let absolute = folder.path().join(not_utf8).into_os_string();
        let in_folder = Some(folder.path().as_os_str().to_owned());
        for (tz, tzdir, expected) in [
            (not_utf8.to_owned(), &in_folder, 19_800),
            (OsStr::from_bytes(b":zone-\xff").to_owned(), &in_folder, 19_800),
            (absolute, &None, 19_800),
            (not_utf8.to_owned(), &None, 0),
            ("XYZ3".into(), &in_folder, -10_800),
            ("UTC".into(), &Some(OsString::new()), 0),
        ] {
            let variables = ZoneVariables { tz: Some(tz), tzdir: tzdir.clone() };
            let found = zone(&variables, Path::new("/no/such")).to_offset(Timestamp::UNIX_EPOCH).seconds();
            assert_eq!(found, expected, "{variables:?}");
        }
    }
}

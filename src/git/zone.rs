//! The time zone of this machine, as the C library finds it for git.

use std::path::Path;

use jiff::tz::TimeZone;

/// The zone where `TZ` names no other.
const LOCAL: &str = "/etc/localtime";
/// Where zones are found by their names.
const ZONES: &str = "/usr/share/zoneinfo";

/// The zone that `tz`, the variable `TZ`, names, or else the local one; UTC if it cannot be read.
///
/// The system zone of jiff is the same, but jiff looks for its name in the whole database, which took a fifth of a write.
pub(crate) fn local_zone(tz: Option<&str>) -> TimeZone {
    zone(tz, Path::new(LOCAL))
}

fn zone(tz: Option<&str>, local: &Path) -> TimeZone {
    let file = |path: &Path| TimeZone::tzif("local", &std::fs::read(path).ok()?).ok();
    let found = match tz {
        None => file(local),
        Some("") => None,
        Some(name) => {
            let name = name.strip_prefix(':').unwrap_or(name);
            file(&Path::new(ZONES).join(name)).or_else(|| TimeZone::posix(name).ok())
        }
    };
    found.unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    /// The offset in seconds.
    fn offset(tz: Option<&str>, local: &Path) -> i32 {
        zone(tz, local).to_offset(Timestamp::UNIX_EPOCH).seconds()
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
}

//! Stamps: which write of a field is later. A merge compares only stamps, so a wrong clock cannot lose a write whose
//! writer had seen the value that it replaced.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Time, Uid};

/// The uid of stamps that an import makes, so that repeating an import gives the same birth.
const IMPORT: &str = "import";
/// The counter has five digits; one more tick carries into the milliseconds.
const LAST_COUNTER: u32 = 99_999;
/// The greatest uid.
const LAST_UID: &str = "zzzzzzzz";
/// No stamp has a time from this day on, so that there is always room for a later one.
const NO_ROOM: &str = "9998-12-31";
/// The far future begins here: no correct clock shows such a time, and no write takes one from a clock. A value with
/// such a stamp is read like any other, so that a merge needs no clock; `fsck` reports and repairs it.
const FAR_FUTURE: &str = "9000-01-01";
/// The latest time that is taken from a clock or a source.
const LATEST: &str = "8999-12-31T23:59:59.999Z";
const TIME_WIDTH: usize = "2026-11-21T02:14:05.123Z".len();
const PLACE_WIDTH: usize = "2026-11-21T02:14:05.123Z/00000".len();
/// The prefix of a stamp of an earlier epoch. Its byte is less than every digit, so such a stamp comes before every
/// other.
const EARLIER: char = '.';
/// The length of the prefix that names an earlier epoch: a dot, three digits, a slash.
const EPOCH_WIDTH: usize = ".000/".len();

/// The last possible stamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no stamp is later than `{0}`")]
pub(crate) struct NoLater(pub(crate) Stamp);

/// `2026-11-21T02:14:05.123Z/00000/7k3m2pq9`: fixed width, so that byte order is their order. In a repaired record, a
/// stamp of an earlier epoch begins with that epoch: `.000/2026-11-21T02:14:05.123Z/00000/7k3m2pq9`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stamp(String);

impl Stamp {
    /// The first stamp that `by` makes at `at`.
    #[cfg(test)]
    pub(crate) fn new(at: Time, by: &Uid) -> Self {
        Self::first(at, by.as_str())
    }

    /// The stamp of an imported value that its source changed at `at`.
    pub(crate) fn import(at: Time) -> Self {
        Self::first(at, IMPORT)
    }

    /// The stamp of an imported value of a source whose content has this [`Stamp::content_number`]. Of two contents
    /// with one time of change, every clone takes the one with the greater number.
    pub(crate) fn import_of(at: Time, content: u32) -> Self {
        Self::at(at, content.min(LAST_COUNTER), IMPORT)
    }

    /// A number from 1 on, from the hash of a content. There is room for later stamps of the same time.
    pub(crate) fn content_number(hash: u32) -> u32 {
        1 + hash % (LAST_COUNTER - LAST_COUNTER / 10)
    }

    fn first(at: Time, by: &str) -> Self {
        Self::at(at, 0, by)
    }

    fn at(at: Time, counter: u32, by: &str) -> Self {
        let made = Self::with_counter(at, counter, by);
        if &made.0[..TIME_WIDTH] > LATEST { Self(format!("{LATEST}/{counter:05}/{by}")) } else { made }
    }

    /// Whether an import made it.
    pub(crate) fn is_import(&self) -> bool {
        self.0.ends_with(IMPORT)
    }

    /// Whether an import wrote both in one epoch, of two contents of a source with one time of change.
    pub(crate) fn is_other_content(&self, other: &Self) -> bool {
        self.time_in_epoch() == other.time_in_epoch()
            && self.is_import()
            && other.is_import()
            && self != other
    }

    fn time_in_epoch(&self) -> (Option<u16>, Time) {
        (self.earlier_epoch(), self.time())
    }

    /// Whether one command made both.
    pub(crate) fn is_of_command(&self, other: &Self) -> bool {
        self.author_part() == other.author_part()
    }

    fn author_part(&self) -> Option<String> {
        self.0.rsplit('/').next().map(str::to_owned)
    }

    /// The next stamp that an import writes after this one.
    pub(crate) fn next_content(&self) -> Option<Self> {
        self.tick(IMPORT)
    }

    /// `None` if `text` is not a stamp: wrong width, a time from 9998-12-31 on, letters outside the alphabet.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let own = match text.strip_prefix(EARLIER) {
            None => text,
            Some(rest) => {
                let (epoch, own) = rest.split_once('/')?;
                (epoch.len() == 3 && epoch.bytes().all(|b| b.is_ascii_digit())).then_some(own)?
            }
        };
        let mut parts = own.split('/');
        let (at, counter, by) = (parts.next()?, parts.next()?, parts.next()?);
        let sound = parts.next().is_none()
            && at.len() == TIME_WIDTH
            && at < NO_ROOM
            && Time::parse_canonical(at).is_some()
            && counter.len() == 5
            && counter.bytes().all(|b| b.is_ascii_digit())
            && (by == IMPORT || Uid::parse(by).is_some());
        sound.then(|| Self(text.to_owned()))
    }

    fn with_counter(at: Time, counter: u32, by: &str) -> Self {
        Self(format!("{at}/{counter:05}/{by}"))
    }

    /// The stamp as it was made, without the epoch.
    fn own(&self) -> &str {
        if self.is_of_earlier_epoch() { &self.0[EPOCH_WIDTH..] } else { &self.0 }
    }

    /// Whether it was made in an epoch before that of the record.
    fn is_of_earlier_epoch(&self) -> bool {
        self.0.starts_with(EARLIER)
    }

    /// The epoch in which it was made, if that is before the record's.
    pub(crate) fn earlier_epoch(&self) -> Option<u16> {
        self.is_of_earlier_epoch().then(|| self.0[1..EPOCH_WIDTH - 1].parse().unwrap_or_default())
    }

    /// This stamp of a record with this epoch, as it is written in a record of a later epoch. This keeps the order of
    /// stamps, and puts them before every stamp that is made in the later epoch.
    pub(crate) fn made_earlier(&self, epoch: u16) -> Self {
        if self.is_of_earlier_epoch() {
            self.clone()
        } else {
            Self(format!("{EARLIER}{epoch:03}/{}", self.0))
        }
    }

    /// This stamp of a record with this epoch, with the epoch in which it was made.
    pub(crate) fn made_in(&self, epoch: u16) -> EpochStamp {
        EpochStamp { epoch: self.earlier_epoch().unwrap_or(epoch), stamp: Self(self.own().to_owned()) }
    }

    /// The time: the writer's current time, or a little later.
    pub(crate) fn time(&self) -> Time {
        // Both constructors put a valid time first.
        Time::parse(&self.own()[..TIME_WIDTH]).unwrap_or_else(|| unreachable!("a stamp begins with a time"))
    }

    fn counter(&self) -> u32 {
        self.own()[TIME_WIDTH + 1..TIME_WIDTH + 6].parse().unwrap_or_default()
    }

    /// Whether it is of the far future, so that no correct clock made it.
    pub(crate) fn is_far_future(&self) -> bool {
        self.own() >= FAR_FUTURE
    }

    /// Whether a clock that says `now` cannot have made it: it is more than a day later, or of the far future. Such a
    /// stamp wins over everything that is written until then. A stamp of an earlier epoch never does.
    pub(crate) fn is_ahead_of(&self, now: Time) -> bool {
        !self.is_of_earlier_epoch() && (self.is_far_future() || self.time().is_day_after(now))
    }

    /// Whether the name of a file is that of an entry of the far future.
    pub(crate) fn is_far_entry(name: &str) -> bool {
        // The digits of the day, as a file name starts with them.
        let day = FAR_FUTURE.bytes().filter(|byte| *byte != b'-');
        name.bytes().take(8).all(|byte| byte.is_ascii_digit()) && name.bytes().cmp(day).is_ge()
    }

    /// Time and counter: the order of writes that saw each other. The uid only distinguishes those that did not.
    fn place(&self) -> &str {
        &self.own()[..PLACE_WIDTH]
    }

    /// The earliest stamp by `by` at a later place than this one; `None` after the last place.
    fn tick(&self, by: &str) -> Option<Self> {
        let next = match self.counter() {
            LAST_COUNTER => Self::with_counter(self.time().plus_millis(1), 0, by),
            counter => Self::with_counter(self.time(), counter + 1, by),
        };
        Self::parse(&next.0)
    }

    /// Its time and its counter as the name of a log entry begins: `20261121T021405123Z-00000`.
    pub(crate) fn entry_place(&self) -> String {
        let own = self.own();
        let digits = own[..TIME_WIDTH].chars().filter(|c| !matches!(c, '-' | ':' | '.'));
        digits.chain(['-']).chain(own[TIME_WIDTH + 1..TIME_WIDTH + 6].chars()).collect()
    }

    /// The last of all stamps at a [`Stamp::entry_place`], so that the next one is at a later place; `None` if `place`
    /// is not one.
    pub(crate) fn last_at(place: &str) -> Option<Self> {
        let (at, counter) = place.split_once('-')?;
        let separators = (at.as_bytes().get(8), at.as_bytes().get(18));
        if at.len() != 19 || !at.is_ascii() || separators != (Some(&b'T'), Some(&b'Z')) {
            return None;
        }
        let (date, time) = (&at[..8], &at[9..18]);
        let text = format!(
            "{}-{}-{}T{}:{}:{}.{}Z/{counter}/{LAST_UID}",
            &date[..4],
            &date[4..6],
            &date[6..],
            &time[..2],
            &time[2..4],
            &time[4..6],
            &time[6..]
        );
        Self::parse(&text)
    }

    /// The bytes that decide the order.
    #[cfg(test)]
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a stamp")))
    }
}

impl schemars::JsonSchema for Stamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "orders writes to a field: <UTC time>/<counter>/<uid or `import`>, after .<epoch>/ if made in an earlier epoch",
            "pattern": "^(\\.[0-9]{3}/)?[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z/[0-9]{5}/([0-9a-hjkmnp-tv-z]{8}|import)$",
            "examples": ["2026-11-21T02:14:05.123Z/00000/7k3m2pq9"]
        })
    }
}

/// A stamp with the epoch in which it was made. These can be ordered whatever the epoch of their record. Written as the
/// plain stamp for the epoch 0, and as the stamp prefixed with its epoch otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EpochStamp {
    epoch: u16,
    stamp: Stamp,
}

impl EpochStamp {
    /// The epoch.
    pub(crate) fn epoch(&self) -> u16 {
        self.epoch
    }

    /// The time part.
    pub(crate) fn time(&self) -> Time {
        self.stamp.time()
    }

    /// Whether it is of the far future, so that no correct clock made it.
    pub(crate) fn is_far_future(&self) -> bool {
        self.stamp.is_far_future()
    }

    /// Whether an import wrote the value.
    pub(crate) fn is_import(&self) -> bool {
        self.stamp.is_import()
    }

    /// Whether a clock that says `now` cannot have made it, whatever the epoch.
    pub(crate) fn is_ahead_of(&self, now: Time) -> bool {
        self.stamp.is_ahead_of(now)
    }
}

impl Serialize for EpochStamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.epoch == 0 {
            return self.stamp.serialize(serializer);
        }
        self.stamp.made_earlier(self.epoch).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for EpochStamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stamp = Stamp::deserialize(deserializer)?;
        if stamp.earlier_epoch() == Some(0) {
            return Err(serde::de::Error::custom(format!("`{stamp}`: a stamp of epoch 0 has no prefix")));
        }
        Ok(stamp.made_in(0))
    }
}

impl schemars::JsonSchema for EpochStamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Stamp::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Stamp::json_schema(generator)
    }
}

/// Makes the stamps of one command, all with the same 40 random bits.
#[derive(Debug, Clone)]
pub(crate) struct Stamper {
    now: Time,
    by: Uid,
}

impl Stamper {
    /// For a command that runs at `now`; `by` is drawn at random once per command.
    pub(crate) fn new(now: Time, by: Uid) -> Self {
        Self { now, by }
    }

    /// The current time of this command.
    pub(crate) fn now(&self) -> Time {
        self.now
    }

    /// The stamp of a value that replaces nothing.
    pub(crate) fn fresh(&self) -> Stamp {
        Stamp::first(self.now, self.by.as_str())
    }

    /// The later of now and one tick after `replaced`, so that a writer who saw a value wins over it.
    pub(crate) fn over(&self, replaced: Option<&Stamp>) -> Result<Stamp, NoLater> {
        let fresh = self.fresh();
        match replaced {
            Some(old) if !old.is_of_earlier_epoch() && old.place() >= fresh.place() => {
                old.tick(self.by.as_str()).ok_or_else(|| NoLater(old.clone()))
            }
            _ => Ok(fresh),
        }
    }
}

impl Stamper {
    /// The stamp of the next entry of a log with these entries: later than all of them, except those of the far future,
    /// which would leave no room.
    pub(crate) fn next_in_log(&self, log: impl IntoIterator<Item = Stamp>) -> Stamp {
        let last = log
            .into_iter()
            .filter(|stamp| stamp.tick(self.by.as_str()).filter(|next| !next.is_far_future()).is_some())
            .max();
        self.over(last.as_ref()).unwrap_or_else(|_| self.fresh())
    }
}

#[cfg(test)]
mod tests;

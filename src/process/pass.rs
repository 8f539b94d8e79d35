//! Passes one open file from this program to a process that it started, over the socket between them: `Command` can
//! pass only stdin, stdout and stderr.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// The byte that is sent with the file: a socket cannot carry a file without data.
const BYTE: u8 = b'f';

/// Sends `file`.
pub(super) fn send(line: &UnixStream, file: impl AsFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&files));
    sendmsg(line, &[IoSlice::new(&[BYTE])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Later child processes must not inherit the received file; only this system can set that on receipt.
#[cfg(target_os = "linux")]
const FLAGS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const FLAGS: RecvFlags = RecvFlags::empty();

/// Waits for the file, which the other end sends before anything else.
pub(super) fn receive(line: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    loop {
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        match recvmsg(line, &mut [IoSliceMut::new(&mut byte)], &mut control, FLAGS) {
            Ok(_) => {}
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut files = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files),
            _ => None,
        });
        let file = files.next().and_then(|mut files| files.next());
        return file.ok_or_else(|| io::Error::other("no file was sent"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_file_arrives_open() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        send(&ours, &writer).unwrap();
        drop(writer);
        let mut file = std::fs::File::from(receive(&theirs).unwrap());
        file.write_all(b"hello").unwrap();
        drop(file);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn who_sends_nothing_is_no_sender() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        assert!(receive(&theirs).is_err());
    }
}

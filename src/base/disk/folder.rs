//! An open folder and its entries.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, fstat, mkdirat, openat, renameat, renameat_with};
use rustix::fs::{statat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::File;
use super::fault::{Call, fault_point};
use super::stat::Stat;

/// Retry limit for a call that a signal interrupts before it does anything.
const MAX_INTERRUPTIONS: u32 = 8;

/// The access to an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Reads, and writes at the end.
    Append,
}

/// The kind of a folder's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A device, a pipe.
    Other,
}

/// An open folder. Names are single names without a slash. Methods work on the folder's own entries and never follow a
/// link.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder at `path`. Links are followed, because the person's settings name it.
    ///
    /// # Errors
    /// It is missing, is no folder, or may not be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = retry_interrupted(Call::Open, || rustix::fs::open(path, flags, Mode::empty()))?;
        Ok(Self { descriptor, path: path.to_owned() })
    }

    /// Opens the folder at `path` like [`Folder::open`], but as the folder at `shown`: a link there leads to it.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn open_as(path: &Path, shown: &Path) -> io::Result<Self> {
        Ok(Self { path: shown.to_owned(), ..Self::open(path)? })
    }

    /// Returns the path by which the folder was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the folder `name`.
    ///
    /// # Errors
    /// It is missing, a link or no folder.
    pub fn open_folder<N: AsRef<OsStr> + ?Sized>(&self, name: &N) -> io::Result<Self> {
        let name = name.as_ref();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor =
            retry_interrupted(Call::Open, || openat(&self.descriptor, plain(name)?, flags, Mode::empty()))?;
        Ok(Self { descriptor, path: self.path.join(name) })
    }

    /// Opens the folder `name` and creates it if it is missing, with the mode that the umask leaves.
    ///
    /// # Errors
    /// The system refuses, or the name belongs to something that is no folder.
    pub fn open_or_create_folder(&self, name: &str) -> io::Result<Self> {
        match self.open_folder(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        // Only the owner may write, whatever the umask.
        let made =
            retry_interrupted(Call::Open, || mkdirat(&self.descriptor, plain(name)?, Mode::from_raw_mode(0o755)));
        if let Err(error) = made
            && error.kind() != ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        self.open_folder(name)
    }

    /// Opens the nested folder at the path `names`.
    ///
    /// # Errors
    /// As [`Folder::open_folder`].
    pub fn descend<'n, N: AsRef<OsStr> + ?Sized + 'n>(
        &self,
        names: impl IntoIterator<Item = &'n N>,
    ) -> io::Result<Self> {
        let mut folder = self.try_clone()?;
        for name in names {
            folder = folder.open_folder(name)?;
        }
        Ok(folder)
    }

    /// Duplicates the handle of the folder.
    ///
    /// # Errors
    /// The process has no descriptor left.
    pub fn try_clone(&self) -> io::Result<Self> {
        fault_point(Call::Open)?;
        Ok(Self { descriptor: self.descriptor.try_clone()?, path: self.path.clone() })
    }

    /// Opens the file `name`, or returns `None` if there is none.
    ///
    /// # Errors
    /// It is a link or no regular file, or the system refuses.
    pub fn open_file(&self, name: &str, access: Access) -> io::Result<Option<File>> {
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Append => OFlags::RDWR | OFlags::APPEND,
        };
        // Without NONBLOCK, opening a pipe blocks until somebody writes to it.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match retry_interrupted(Call::Open, || openat(&self.descriptor, plain(name)?, flags, Mode::empty())) {
            Ok(descriptor) => File::regular(descriptor).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the file `name` of at most `max_bytes` bytes, or returns `None` if there is none.
    ///
    /// # Errors
    /// As [`Folder::open_file`], or the file is longer.
    pub fn read(&self, name: &str, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(mut file) = self.open_file(name, Access::Read)? else { return Ok(None) };
        if file.metadata()?.len() > max_bytes {
            return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it is longer than {max_bytes} bytes")));
        }
        file.content().map(Some)
    }

    /// Creates the file `name`, which must not exist, with `mode` less the umask.
    ///
    /// # Errors
    /// The name is taken, or the system refuses.
    pub fn create(&self, name: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(rustix::fs::RawMode::from(mode as u16));
        File::regular(retry_interrupted(Call::Open, || openat(&self.descriptor, plain(name)?, flags, mode))?)
    }

    /// Opens the file `name` for appending and creates it with `mode` if it is missing.
    ///
    /// # Errors
    /// It is a link or no regular file, or the system refuses.
    pub fn open_or_create(&self, name: &str, mode: u32) -> io::Result<File> {
        loop {
            if let Some(file) = self.open_file(name, Access::Append)? {
                return Ok(file);
            }
            match self.create(name, mode) {
                // Another process was quicker.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made,
            }
        }
    }

    /// Returns the metadata of `name`, or `None` if nothing has that name.
    ///
    /// # Errors
    /// The system refuses.
    pub fn stat<N: AsRef<OsStr> + ?Sized>(&self, name: &N) -> io::Result<Option<Stat>> {
        let name = name.as_ref();
        match retry_interrupted(Call::Metadata, || statat(&self.descriptor, plain(name)?, AtFlags::SYMLINK_NOFOLLOW)) {
            Ok(stat) => Ok(Some(Stat::from(stat))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the target of the link `name`, or `None` if it is no link.
    pub fn link_target(&self, name: &str) -> Option<PathBuf> {
        let target = rustix::fs::readlinkat(&self.descriptor, plain(name).ok()?, Vec::new()).ok()?;
        Some(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// Returns the device and inode of the folder itself.
    ///
    /// # Errors
    /// The system refuses.
    pub fn identity(&self) -> io::Result<(u64, u64)> {
        retry_interrupted(Call::Metadata, || fstat(&self.descriptor)).map(|stat| Stat::from(stat).identity)
    }

    /// Returns the UTF-8 names in the folder, sorted, each with whether it is a folder (`true`) or a regular file.
    /// Links, devices and pipes are left out.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<(String, bool)>> {
        let is_shown = |kind: EntryKind| matches!(kind, EntryKind::Folder | EntryKind::File);
        let entries = self.entries()?.into_iter().filter(|(_, kind)| is_shown(*kind));
        let text = |(name, kind): (OsString, _)| Some((name.into_string().ok()?, kind == EntryKind::Folder));
        let mut names: Vec<(String, bool)> = entries.filter_map(text).collect();
        names.sort();
        Ok(names)
    }

    /// Returns all names in the folder except `.` and `..`, unordered, each with its kind.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn entries(&self) -> io::Result<Vec<(OsString, EntryKind)>> {
        let mut entries = Vec::new();
        for entry in retry_interrupted(Call::Read, || Dir::read_from(&self.descriptor))? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                // Some file systems do not list the type.
                match statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind = FileType::from_raw_mode(stat.st_mode),
                    // It was removed meanwhile.
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            let kind = match kind {
                FileType::Directory => EntryKind::Folder,
                FileType::RegularFile => EntryKind::File,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Other,
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// Renames the file `from` to `to`, and replaces a file of that name.
    ///
    /// # Errors
    /// The system refuses.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        retry_interrupted(Call::Rename, || renameat(&self.descriptor, plain(from)?, &self.descriptor, plain(to)?))
    }

    /// Renames the file `from` to the unused name `to`.
    ///
    /// # Errors
    /// The name is taken ([`ErrorKind::AlreadyExists`]), or the system refuses.
    pub fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.move_new(from, self, to)
    }

    /// Moves the file `from` to the folder `other`, under the unused name `to`.
    ///
    /// # Errors
    /// As [`Folder::rename_new`].
    pub fn move_new(&self, from: &str, other: &Self, to: &str) -> io::Result<()> {
        let (here, there) = (&self.descriptor, &other.descriptor);
        match retry_interrupted(Call::Rename, || {
            renameat_with(here, plain(from)?, there, plain(to)?, RenameFlags::NOREPLACE)
        }) {
            Err(error) if is_unsupported(&error) => {
                // Without that call in the file system: a hard link, which fails if the name is taken.
                retry_interrupted(Call::Rename, || {
                    rustix::fs::linkat(here, plain(from)?, there, plain(to)?, AtFlags::empty())
                })?;
                self.remove(from)
            }
            renamed => renamed,
        }
    }

    /// Exchanges two files atomically. Returns `false` if the file system cannot.
    ///
    /// # Errors
    /// The system refuses for another reason.
    pub fn exchange(&self, one: &str, other: &str) -> io::Result<bool> {
        let here = &self.descriptor;
        match retry_interrupted(Call::Rename, || {
            renameat_with(here, plain(one)?, here, plain(other)?, RenameFlags::EXCHANGE)
        }) {
            Ok(()) => Ok(true),
            Err(error) if is_unsupported(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the file `name`.
    ///
    /// # Errors
    /// There is none, or the system refuses.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        retry_interrupted(Call::Remove, || unlinkat(&self.descriptor, plain(name)?, AtFlags::empty()))
    }

    /// Removes the folder `name`, which must be empty.
    ///
    /// # Errors
    /// It is not empty ([`ErrorKind::DirectoryNotEmpty`]), there is none, or the system refuses.
    pub fn remove_folder(&self, name: &str) -> io::Result<()> {
        retry_interrupted(Call::Remove, || unlinkat(&self.descriptor, plain(name)?, AtFlags::REMOVEDIR))
    }

    /// Makes creations, renames and removals in the folder survive a power cut. Some file systems do not support it;
    /// the content of the files is complete either way.
    pub fn sync(&self) {
        if fault_point(Call::Sync).is_ok() {
            let _ = rustix::fs::fsync(&self.descriptor);
        }
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Refuses anything but a single name, which would lead out of the folder.
fn plain<N: AsRef<OsStr> + ?Sized>(name: &N) -> Result<&OsStr, Errno> {
    let name = name.as_ref();
    let leads_elsewhere = name.as_bytes().iter().any(|byte| matches!(byte, b'/' | b'\0'));
    if name.is_empty() || name == "." || name == ".." || leads_elsewhere {
        return Err(Errno::INVAL);
    }
    Ok(name)
}

/// Makes a call, and retries it if a signal interrupts it.
fn retry_interrupted<T>(call: Call, mut make: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
    for _ in 0..MAX_INTERRUPTIONS {
        match fault_point(call) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(()) => return retry_on_intr(&mut make).map_err(io::Error::from),
        }
    }
    Err(Errno::INTR.into())
}

/// Whether the file system or the kernel lacks the call.
fn is_unsupported(error: &io::Error) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP]
        .into_iter()
        .any(|code| error.raw_os_error() == Some(code.raw_os_error()))
}

"""Archives whose bytes depend on their content alone: sorted members, one time for all of them, no owner."""

import base64
import gzip
import hashlib
import io
import lzma
import tarfile
import time
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A member of an archive."""

    content: bytes
    executable: bool = False

    @property
    def mode(self):
        return 0o755 if self.executable else 0o644


def files_below(folder):
    """Returns the files below a folder, by their path in it."""
    return {
        path.relative_to(folder).as_posix(): File(path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def tar(files, epoch, above=""):
    """Returns an uncompressed tar archive of files by path, with their folders. Prefixes each path with `above`."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        folders = {"/".join(parts[:end]) for parts in (path.split("/") for path in files) for end in range(1, len(parts))}
        for path in sorted(folders | set(files)):
            member = tarfile.TarInfo(above + path)
            member.mtime = epoch
            if path in folders:
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(member)
                continue
            file = files[path]
            member.mode, member.size = file.mode, len(file.content)
            archive.addfile(member, io.BytesIO(file.content))
    return out.getvalue()


def gzipped(content, epoch):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=9, mtime=epoch) as stream:
        stream.write(content)
    return out.getvalue()


def tar_gz(files, epoch, above=""):
    return gzipped(tar(files, epoch, above), epoch)


def deb(control, data, epoch):
    """Returns a Debian package of control files and installed files, both by path."""
    members = (
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", tar_gz(control, epoch, "./")),
        ("data.tar.xz", lzma.compress(tar(data, epoch, "./"), preset=2)),
    )
    out = [b"!<arch>\n"]
    for name, content in members:
        out.append(f"{name:<16}{epoch:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
        out.append(content + b"\n" * (len(content) % 2))
    return b"".join(out)


def wheel(files, epoch, dist_info):
    """Returns a wheel of the files by path, with its RECORD in the folder `dist_info`."""
    out = io.BytesIO()
    when = time.gmtime(max(epoch, 315532800))[:6]  # zip archives know no time before 1980
    record = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(path, file):
            member = zipfile.ZipInfo(path, when)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3  # Unix, so that the mode below counts
            member.external_attr = (0o100000 | file.mode) << 16
            archive.writestr(member, file.content)

        for path in sorted(files):
            add(path, files[path])
            digest = base64.urlsafe_b64encode(hashlib.sha256(files[path].content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(files[path].content)}\n")
        record.append(f"{dist_info}/RECORD,,\n")
        add(f"{dist_info}/RECORD", File("".join(record).encode()))
    return out.getvalue()

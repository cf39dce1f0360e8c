"""Members: the zip of a model file, byte by byte; nothing is unpacked that was not announced.

There is one layout. The members lie one after the other from the first byte, ``manifest.json``
first; the directory follows them, then its end with a comment, ``sha256`` and the checksum of all
bytes before it. So any changed bit is noticed before anything is believed, and nothing can hide
before, between or behind the members, or lie in two of them at once.
"""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from quantext.models.files.flaws import ModelFileError, flaw

__all__ = ["MANIFEST", "Member", "check_whole", "expand", "list_members", "zipped"]

MANIFEST = "manifest.json"

# As in section 4.3 of APPNOTE, which describes zip files; all fields of a file header but the
# first two and the last six are also in the header before the member.
_HEADER = struct.Struct("<4sHHHHHIIIHH")
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_HEADER_MARK, _ENTRY_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_LEVEL = 4  # of compression: weights, which are most of a file, get no smaller beyond it
_COMMENT, _HEX = b"sha256 ", 64
_TAIL = _END.size + len(_COMMENT) + _HEX
_LONGEST_NAME = 255
_ROOM = 2**32 - 2**20  # bytes of a zip file without 64-bit fields, which not all tools can read


@dataclass(frozen=True)
class Member:
    """Where a member is in the file, and what it announces.

    Parameters
    ----------
    name
        Of the member.
    start
        Place of its bytes in the file.
    stored
        Number of its bytes in the file.
    size
        Number of its bytes.
    deflated
        Whether they are compressed.
    crc
        Their CRC-32.
    """

    name: str
    start: int
    stored: int
    size: int
    deflated: bool
    crc: int


def zipped(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Bytes of a file; equal members give equal bytes.

    Parameters
    ----------
    members
        Names and contents, the manifest first.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members:
            # A fixed time: the first that a zip file knows.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, whatever the system, for the permissions
            entry.external_attr = 0o644 << 16
            if len(data) > _ROOM or file.tell() > _ROOM:
                raise ValueError("the model takes more than the 4 GB for which its file has room")
            archive.writestr(entry, data, _DEFLATED, _LEVEL)
        archive.comment = _COMMENT + bytes(_HEX)
    if file.tell() > _ROOM:
        raise ValueError("the model takes more than the 4 GB for which its file has room")
    content = file.getbuffer()[:-_HEX]
    return b"".join((content, hashlib.sha256(content).hexdigest().encode()))


def check_whole(file: BinaryIO, size: int) -> None:
    """Raise unless this is a model file of which no bit has changed.

    Parameters
    ----------
    file
        To read.
    size
        Its bytes.
    """
    if size == 0:
        raise ModelFileError("is empty")
    file.seek(0)
    begin = file.read(_HEADER.size + len(MANIFEST))
    if not (begin.startswith(_HEADER_MARK) and begin.endswith(MANIFEST.encode())):
        raise ModelFileError("is not a quantext model file; save() and `quantext train` make them")
    if size < len(begin) + _TAIL or not _checksum_holds(file, size):
        raise ModelFileError(
            "is damaged or incomplete: its checksum does not match its contents; "
            "copy it again, or train the model again"
        )


def list_members(file: BinaryIO, size: int) -> dict[str, Member]:
    """Members by name, in their order; raises unless they and their directory fill the file.

    Parameters
    ----------
    file
        To read, of which `check_whole` has been asked.
    size
        Its bytes.
    """
    file.seek(size - _TAIL)
    mark, disk, other_disk, count, total, n_directory, directory, n_comment = _END.unpack(
        file.read(_END.size)
    )
    comment = file.read(len(_COMMENT))
    if mark != _END_MARK or comment != _COMMENT or n_comment != len(_COMMENT) + _HEX:
        raise flaw("its zip directory does not end where the file does")
    if (disk, other_disk) != (0, 0) or total != count:
        raise flaw("it is one of several parts of a zip file")
    if directory + n_directory != size - _TAIL:
        raise flaw("its zip directory does not fill its place")
    members: dict[str, Member] = {}
    place, at = 0, directory
    for _ in range(count):
        member, length = _read_entry(file, at, place)
        if member.name in members:
            raise flaw(f"it has two members {member.name!r}")
        members[member.name] = member
        place, at = member.start + member.stored, at + length
    if place != directory or at != size - _TAIL:
        raise flaw("its members do not fill it")
    return members


def expand(file: BinaryIO, member: Member) -> bytes:
    """Contents of a member, which are as many bytes as announced: a bomb never goes off.

    Parameters
    ----------
    file
        To read.
    member
        Of the file.
    """
    file.seek(member.start)
    data = file.read(member.stored)
    whole = True
    if member.deflated:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = stream.decompress(data, member.size + 1)
        except zlib.error as error:
            raise flaw(f"{member.name}: {error}") from None
        whole = stream.eof and not stream.unused_data
    if len(data) != member.size or not whole or zlib.crc32(data) != member.crc:
        raise flaw(f"{member.name} has not the bytes it announces")
    return data


def _checksum_holds(file: BinaryIO, size: int) -> bool:
    """Whether the last bytes are the SHA-256 of all others."""
    file.seek(0)
    checksum = hashlib.sha256()
    left = size - _HEX
    while left and (data := file.read(min(left, 2**20))):
        checksum.update(data)
        left -= len(data)
    return file.read(_HEX) == checksum.hexdigest().encode()


def _read_entry(file: BinaryIO, at: int, place: int) -> tuple[Member, int]:
    """Member of an entry of the directory, which must begin at this place; length of the entry."""
    file.seek(at)
    data = file.read(_ENTRY.size)
    if len(data) < _ENTRY.size:
        raise flaw("its zip directory is cut off")
    mark, _, *shared, n_comment, disk, _, attributes, offset = _ENTRY.unpack(data)
    _, flags, method, _, _, crc, stored, size, n_name, n_extra = shared
    if mark != _ENTRY_MARK or n_name > _LONGEST_NAME:
        raise flaw("its zip directory is none")
    name = file.read(n_name)
    if not name.isascii() or name.endswith(b"/") or attributes & 0x10:  # a folder of MS-DOS
        raise flaw(f"{name!r} is no name of a member")
    shown = name.decode()
    if flags or n_extra or n_comment or disk or method not in (_STORED, _DEFLATED):
        raise flaw(f"{shown!r} is packed in a way that model files do not use")
    file.seek(place)
    if offset != place or file.read(_HEADER.size + n_name) != _header(shared) + name:
        raise flaw(f"{shown!r} is not where, or not what, the zip directory says")
    start = place + _HEADER.size + n_name
    return Member(shown, start, stored, size, method == _DEFLATED, crc), _ENTRY.size + n_name


def _header(fields: list[int]) -> bytes:
    return _HEADER.pack(_HEADER_MARK, *fields)

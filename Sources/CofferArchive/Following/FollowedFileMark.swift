import CofferCore
import Glibc

/// What a follower notes of its file, so that it writes to no other one later.
struct FollowedFileMark: Sendable, Equatable {
  var inode: UInt64
  /// When the file was made, in nanoseconds since 1970; 0 if that isn't known. A number of an inode
  /// is soon used again.
  var birth: UInt64
  private var size: UInt64
  /// When the file was written to, in nanoseconds since 1970.
  var change: UInt64
  /// Where the log ended; nil if it was empty, and nothing was written from then on.
  var log: LogPosition?

  static let size = 53

  /// Describes a file whose log is empty.
  init(ofFileAt path: String) throws {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "could not read \(path)")
    }
    inode = UInt64(status.st_ino)
    birth = UInt64(bitPattern: SystemCalls.birthTime(of: path))
    size = UInt64(status.st_size)
    change = UInt64(
      bitPattern: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec))
  }

  /// Whether both are of one file, whatever was written to it.
  func isSameFile(as other: FollowedFileMark) -> Bool {
    inode == other.inode && birth == other.birth
  }

  /// Whether nothing was written to the file since.
  func isUnchanged(since other: FollowedFileMark) -> Bool {
    isSameFile(as: other) && size == other.size && change == other.change
  }

  // MARK: Bytes

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for number in [inode, birth, size, change] { bytes.append(number) }
    bytes.append(UInt8(log == nil ? 0 : 1))
    bytes += log?.salts ?? [UInt8](repeating: 0, count: 8)
    bytes.append(UInt32(log?.frame ?? 0))
    return bytes + (log?.checksum ?? [UInt8](repeating: 0, count: 8))
  }

  init?(_ reader: inout ByteReader) {
    guard let inode = reader.uint64(), let birth = reader.uint64(), let size = reader.uint64(),
      let change = reader.uint64(), let hasLog = reader.uint8(), let salts = reader.bytes(8),
      let frame = reader.uint32(), let checksum = reader.bytes(8)
    else { return nil }
    (self.inode, self.birth, self.size, self.change) = (inode, birth, size, change)
    log = hasLog == 0 ? nil : LogPosition(salts: salts, frame: Int(frame), checksum: checksum)
  }
}

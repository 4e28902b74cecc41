import CofferSQLite

/// The end of the frames of a write-ahead log that an archive has.
package struct LogPosition: Sendable, Hashable {
  /// The salts of the log, which change when it starts again: 8 bytes.
  package var salts: [UInt8]
  /// The number of frames.
  package var frame: Int
  /// The checksum in the last frame, which depends on all frames before: 8 bytes.
  package var checksum: [UInt8]

  package init(salts: [UInt8], frame: Int, checksum: [UInt8]) {
    (self.salts, self.frame, self.checksum) = (salts, frame, checksum)
  }
}

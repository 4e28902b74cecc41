import CofferSQLite

/// Reads a log's frames in order, as far as their salts and checksums continue what is before them.
///
/// See the rules in `LogFormat.swift`.
struct LogReader {
  private let file: RawFile
  private let layout: LogLayout
  private let salts: [UInt8]
  private var sum: LogChecksum

  /// - Parameters:
  ///   - header: The log's header.
  ///   - frame: The last frame that is known, from whose stored checksum the next one's goes on; 0
  ///     for none.
  init(
    _ file: RawFile, _ header: LogHeader, _ layout: LogLayout, after frame: Int = 0
  ) throws {
    (self.file, self.layout, salts, sum) = (file, layout, header.salts, header.checksum)
    self.frame = frame
    guard frame > 0 else { return }
    let bytes = try file.read(count: LogLayout.frameHeaderSize, at: layout.offset(ofFrame: frame))
    // A file that was cut meanwhile has fewer bytes: no frame follows then.
    if let last = LogFrame(bytes) { sum.goOn(after: last) }
  }

  /// The last frame that was read.
  private(set) var frame: Int

  /// Reads all frames that are left.
  ///
  /// - Parameter body: Called for each frame, with its number, its header and its page.
  mutating func readAll(
    _ body: (_ number: Int, _ frame: LogFrame, _ page: UnsafeRawBufferPointer) -> Void
  ) throws {
    let count = max(1, 262_144 / layout.frameSize)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: count * layout.frameSize, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let read = try file.read(into: buffer, at: layout.offset(ofFrame: frame + 1))
      for index in 0..<(read / layout.frameSize) {
        let start = index * layout.frameSize
        let bytes = unsafe UnsafeRawBufferPointer(
          rebasing: buffer[start..<(start + layout.frameSize)])
        let next = unsafe LogFrame(bytes)
        guard next.page > 0, next.belongs(to: salts) else { return }
        sum.addFrame(bytes)
        guard sum.isStored(in: next) else { return }
        frame += 1
        unsafe body(
          frame, next, UnsafeRawBufferPointer(rebasing: bytes[LogLayout.frameHeaderSize...]))
      }
      guard read == buffer.count else { return }
    }
  }
}

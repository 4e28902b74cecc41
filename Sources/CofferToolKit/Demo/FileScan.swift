import Glibc

/// The view of a file's bytes without its key.
struct FileScan {
  /// The file's size in bytes.
  private(set) var size = 0
  /// The first 16 bytes.
  private(set) var start: [UInt8] = []
  /// The number of occurrences of each text, without overlaps.
  private(set) var counts: [Int]

  private var histogram = [Int](repeating: 0, count: 256)

  /// Reads all bytes and counts texts, including those that span two chunks.
  static func scan(_ source: ByteSource, for texts: [String]) throws -> FileScan {
    let needles = texts.map { Array($0.utf8) }
    var scan = FileScan(counts: needles.map { _ in 0 })
    // The file offset at which each text's next occurrence can begin.
    var nextStarts = needles.map { _ in 0 }
    let overlap = max(0, (needles.map(\.count).max() ?? 0) - 1)
    var buffer: [UInt8] = []
    var bufferStart = 0
    var known = 0
    while try source.readChunk(&buffer) {
      scan.add(buffer[known...])
      for (index, needle) in needles.enumerated() where !needle.isEmpty {
        scan.counts[index] += count(
          of: needle, in: buffer, at: bufferStart, nextStart: &nextStarts[index])
      }
      let dropped = max(0, buffer.count - overlap)
      buffer.removeFirst(dropped)
      bufferStart += dropped
      known = buffer.count
    }
    return scan
  }

  /// The number of occurrences of all texts.
  var totalCount: Int { counts.reduce(0, +) }

  /// The number of texts that occur in the file.
  var foundTexts: Int { counts.count { $0 > 0 } }

  /// The Shannon entropy of single bytes, 0...8: 8 for random bytes, 4 to 5 for text.
  var bitsPerByte: Double {
    histogram.reduce(0) { sum, count in
      guard count > 0 else { return sum }
      let probability = Double(count) / Double(size)
      return sum - probability * log2(probability)
    }
  }

  /// The first bytes as text, with `·` for unprintable bytes.
  var startAsText: String {
    String(start.map { (0x20...0x7E).contains($0) ? Character(UnicodeScalar($0)) : "·" })
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    if start.count < 16 { start += bytes.prefix(16 - start.count) }
    size += bytes.count
    bytes.withUnsafeBufferPointer { bytes in
      histogram.withUnsafeMutableBufferPointer { histogram in
        for byte in bytes { histogram[Int(byte)] += 1 }
      }
    }
  }

  /// Counts the occurrences in `buffer`, which begins at offset `bufferStart` of the file.
  private static func count(
    of needle: [UInt8], in buffer: [UInt8], at bufferStart: Int, nextStart: inout Int
  ) -> Int {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      var count = 0
      var position = max(0, nextStart - bufferStart)
      // `memchr` finds the first byte fast.
      let end = bytes.count - needle.count + 1
      while position < end,
        let found = memchr(base + position, CInt(needle[0]), end - position)
      {
        let isWhole = memcmp(found, needle, needle.count) == 0
        count += isWhole ? 1 : 0
        position = UnsafeRawPointer(found) - base + (isWhole ? needle.count : 1)
      }
      nextStart = bufferStart + max(position, end)
      return count
    }
  }
}

import Foundation

/// The view of a file's bytes without its key.
struct FileScan {
  private let data: Data
  /// The number of occurrences of each text, without overlaps.
  let counts: [Int]

  /// Reads all bytes, and counts texts that aren't empty.
  init(_ data: Data, for texts: [String]) {
    self.data = data
    counts = texts.map { data.count(of: Data($0.utf8)) }
  }

  /// The file's size in bytes.
  var size: Int { data.count }

  /// The number of occurrences of all texts.
  var totalCount: Int { counts.reduce(0, +) }

  /// The number of texts that occur in the file.
  var foundTexts: Int { counts.count { $0 > 0 } }

  /// The first 16 bytes.
  var start: Data { data.prefix(16) }

  /// The first 16 bytes as text, with `·` for unprintable ones.
  var startAsText: String {
    String(start.map { (0x20...0x7E).contains($0) ? Character(UnicodeScalar($0)) : "·" })
  }

  /// The Shannon entropy of single bytes, 0...8: 8 for random bytes, 4 to 5 for text.
  var bitsPerByte: Double {
    var histogram = [Int](repeating: 0, count: 256)
    for byte in data { histogram[Int(byte)] += 1 }
    return histogram.filter { $0 > 0 }.reduce(0) { sum, count in
      let probability = Double(count) / Double(data.count)
      return sum - probability * log2(probability)
    }
  }
}

extension Data {
  fileprivate func count(of text: Data) -> Int {
    var count = 0
    var rest = startIndex..<endIndex
    while let found = range(of: text, in: rest) {
      count += 1
      rest = found.upperBound..<endIndex
    }
    return count
  }
}

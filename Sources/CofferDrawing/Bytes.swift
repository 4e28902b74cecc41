import Foundation

/// What bytes look like.
package enum Bytes {
  /// Addresses, bytes and letters, sixteen bytes a line.
  ///
  /// - Parameter offset: The address of the first one.
  package static func hexadecimal(_ data: Data, from offset: Int) -> String {
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let bytes = Array(data)
    return stride(from: 0, to: bytes.count, by: 16).map { start in
      let line = bytes[start..<min(start + 16, bytes.count)]
      let hex = line.map { digits(Int($0), 2) }.joined(separator: " ")
      let letters = line.map { (32..<127).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
      let gap = String(repeating: " ", count: max(0, 47 - hex.utf8.count))
      return "\(digits(offset + start, 8))  \(hex)\(gap)  \(letters)"
    }.joined(separator: "\n")
  }

  /// The type of a picture by its first bytes. SVG isn't one: it can have scripts.
  package static func pictureType(_ data: Data) -> String? {
    if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if data.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if data.starts(with: "GIF8".utf8) { return "image/gif" }
    let isWebP = data.starts(with: "RIFF".utf8) && data.dropFirst(8).starts(with: "WEBP".utf8)
    return isWebP ? "image/webp" : nil
  }
}

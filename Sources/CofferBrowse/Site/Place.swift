import Coffer

/// The database of a page, and the addresses of its other pages.
struct Place: Sendable {
  let store: Store
  /// Where its pages are, with slashes at both ends.
  let base: String
  /// The commit of an archive; nil for a file.
  var commit: UInt64?

  /// The address of a page.
  ///
  /// - Parameter fields: What follows the question mark, without those that are nil.
  func address(_ path: String, _ fields: KeyValuePairs<String, String?> = [:]) -> String {
    Self.address(base + path, fields.compactMap { name, value in value.map { (name, $0) } })
  }

  static func address(_ path: String, _ fields: [(String, String)]) -> String {
    let pairs = fields.map { escaped($0) + "=" + escaped($1) }
    return path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }
}

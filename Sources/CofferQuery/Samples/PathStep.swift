/// The steps of paths to places in samples: names, and indexes such as `[0]`.
///
/// A name that looks like an index has a backslash before it, and so has one that has backslashes
/// before an index.
package enum PathStep {
  package static func isIndex(_ step: String) -> Bool { isIndex(step.utf8) }

  private static func isIndex(_ step: some BidirectionalCollection<UInt8>) -> Bool {
    let digits = step.dropFirst().dropLast()
    return step.first == UInt8(ascii: "[") && step.last == UInt8(ascii: "]") && !digits.isEmpty
      && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns the step of a name.
  package static func step(_ name: String) -> String {
    looksLikeIndex(name) ? "\\" + name : name
  }

  /// Returns the name of a step.
  package static func name(_ step: String) -> String {
    guard looksLikeIndex(step), !isIndex(step) else { return step }
    return String(decoding: step.utf8.dropFirst(), as: UTF8.self)
  }

  private static func looksLikeIndex(_ name: String) -> Bool {
    isIndex(name.utf8.drop { $0 == UInt8(ascii: "\\") })
  }
}

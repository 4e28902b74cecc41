/// A package in a dependency or in `Provides`: `libc6:any (>= 2.34)`.
struct PackageRelation: Equatable {
  /// The name of the package.
  var name: String
  /// The part after the colon: an architecture, `any` or `native`.
  var architecture: String?
  /// `<<`, `<=`, `=`, `>=` or `>>`; nil if any version is accepted.
  var comparison: String?
  /// The version to compare with; nil if any version is accepted.
  var version: String?
}

extension PackageRelation {
  /// Parses `a, b | c (>= 1)`: groups, all of which are required, of alternatives, one of which
  /// suffices. Entries without a name are skipped.
  static func groups(_ text: String) -> [[PackageRelation]] {
    text.utf8.split(separator: UInt8(ascii: ",")).compactMap { group in
      let alternatives = group.split(separator: UInt8(ascii: "|")).compactMap {
        PackageRelation(Substring($0))
      }
      return alternatives.isEmpty ? nil : alternatives
    }
  }

  /// Parses one relation; returns nil if it has no name.
  init?(_ text: Substring) {
    var rest = text.utf8
    rest.skipSpaces()
    let name = rest.take { !" \t:([<".utf8.contains($0) }
    guard !name.isEmpty else { return nil }
    self.name = String(name)
    if rest.first == UInt8(ascii: ":") {
      rest.removeFirst()
      let architecture = rest.take { !" \t([<".utf8.contains($0) }
      self.architecture = architecture.isEmpty ? nil : String(architecture)
    }
    rest.skipSpaces()
    guard rest.first == UInt8(ascii: "(") else { return }
    rest.removeFirst()
    rest.skipSpaces()
    let comparison = rest.take { "<=>".utf8.contains($0) }
    rest.skipSpaces()
    let version = rest.take { !" \t)".utf8.contains($0) }
    guard !version.isEmpty else { return }
    self.version = String(version)
    // dpkg's obsolete short forms mean "or equal".
    switch comparison {
    case "<": self.comparison = "<="
    case ">": self.comparison = ">="
    case "<<", "<=", ">=", ">>": self.comparison = String(comparison)
    default: self.comparison = "="
    }
  }
}

extension Substring.UTF8View {
  fileprivate mutating func skipSpaces() {
    while let byte = first, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
      removeFirst()
    }
  }

  /// Removes the bytes at the start that match, and returns them.
  fileprivate mutating func take(while fits: (UInt8) -> Bool) -> Substring {
    let end = firstIndex { !fits($0) } ?? endIndex
    defer { self = self[end...] }
    return Substring(self[..<end])
  }
}

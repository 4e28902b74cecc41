import Foundation

/// The file of `coffer archive run --config`: sections with settings, one a line.
struct ArchiveConfigFile {
  /// A value, and its line, from 1 on.
  struct Setting: Equatable {
    var value: String
    var line: Int
  }

  struct Section: Equatable {
    let name: String
    let line: Int
    var settings: [String: Setting] = [:]
  }

  /// The section whose settings the others have, where they have none of their own.
  static let defaults = "defaults"

  let path: String
  private(set) var sections: [Section] = []

  private static let sizeLimit = 1 << 20

  /// Reads a file.
  ///
  /// - Throws: ``ToolError``
  init(path: String) throws {
    guard let handle = FileHandle(forReadingAtPath: path),
      let bytes = try? handle.read(upToCount: Self.sizeLimit + 1)
    else { throw ToolError(.noInput, "\(path) can't be read. Check the path and the rights") }
    guard bytes.count <= Self.sizeLimit, let text = String(bytes: bytes, encoding: .utf8) else {
      throw ToolError(.dataError, "\(path) is no text of up to 1 MiB")
    }
    try self.init(text, path: path)
  }

  /// Parses a text.
  ///
  /// - Throws: ``ToolError`` with the file and the line.
  init(_ text: String, path: String) throws {
    self.path = path
    // By scalars, since a carriage return and a line feed are one character.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      try add(Self.trimmed(String(line)), index + 1)
    }
  }

  private mutating func add(_ line: String, _ number: Int) throws {
    guard !line.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) else {
      throw error(number, "a line has a control character")
    }
    if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { return }
    if line.hasPrefix("[") {
      let name = String(line.dropFirst().dropLast())
      guard line.hasSuffix("]"), Self.isName(name) else {
        throw error(
          number,
          "a section is [NAME], of letters, digits, \".\", \"_\" and \"-\"")
      }
      guard !sections.contains(where: { $0.name == name }) else {
        throw error(number, "there are two sections [\(name)]")
      }
      sections.append(Section(name: name, line: number))
      return
    }
    guard let equals = line.firstIndex(of: "=") else {
      // The line isn't shown: somebody may have pasted a key.
      throw error(number, "a line is KEY = VALUE, [SECTION] or # COMMENT")
    }
    let key = Self.trimmed(String(line[..<equals]))
    let value = Self.trimmed(String(line[line.index(after: equals)...]))
    guard !sections.isEmpty else { throw error(number, "\(key) is in no [SECTION]") }
    guard !value.isEmpty else { throw error(number, "\(key) has no value") }
    guard sections[sections.count - 1].settings[key] == nil else {
      throw error(number, "\(key) is given twice")
    }
    sections[sections.count - 1].settings[key] = Setting(value: value, line: number)
  }

  func error(_ line: Int, _ text: String) -> ToolError {
    ToolError(.dataError, "\(path):\(line): \(text)".printable)
  }

  /// Whether a text can stand in targets, paths and commands as it is.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != 0x2D, first != 0x2E, text.utf8.count <= 200 else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
    }
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\r"))
  }
}

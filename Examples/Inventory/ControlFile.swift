import Foundation

/// The paragraphs of a Debian control file (`man 5 deb822`).
///
/// Lines that are neither fields, continuations nor comments are skipped: the file is read, not
/// validated.
struct ControlFile: Sequence, IteratorProtocol {
  private var lines: ArraySlice<Substring.UTF8View>

  init(_ text: String) {
    lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
  }

  /// Returns the next paragraph that has a field; nil at the end.
  mutating func next() -> ControlParagraph? {
    var paragraph = ControlParagraph()
    while let line = lines.popFirst() {
      if !trimmed(Substring(line)).isEmpty {
        paragraph.add(Substring(line))
      } else if !paragraph.isEmpty {
        break
      }
    }
    return paragraph.isEmpty ? nil : paragraph
  }
}

/// The fields of one paragraph.
struct ControlParagraph {
  /// The lines of the fields, whose names are in lower case, without white space around them.
  private var fields: [String: [String]] = [:]
  /// The field that a line can continue.
  private var openField: String?

  var isEmpty: Bool { fields.isEmpty }

  /// Returns the lines of a field; nil if there is no such field.
  func lines(_ name: String) -> [String]? {
    fields[name.lowercased()]
  }

  /// Returns the lines of a field joined by spaces; nil if there is no such field or it is empty.
  func text(_ name: String) -> String? {
    let text = lines(name)?.filter { !$0.isEmpty }.joined(separator: " ")
    return text?.isEmpty == true ? nil : text
  }

  fileprivate mutating func add(_ line: Substring) {
    switch line.unicodeScalars.first {
    case "#": break
    case " ", "\t": if let openField { fields[openField]?.append(trimmed(line)) }
    default: openField = addField(line)
    }
  }

  /// Adds the field that begins in a line, and returns its name; nil if none does.
  ///
  /// If a field occurs twice, the first one counts.
  private mutating func addField(_ line: Substring) -> String? {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].lowercased()
    guard parts.count == 2, !name.isEmpty, !name.contains(where: \.isWhitespace),
      fields[name] == nil
    else { return nil }
    fields[name] = [trimmed(parts[1])]
    return name
  }
}

private func trimmed(_ text: Substring) -> String {
  text.trimmingCharacters(in: .whitespacesAndNewlines)
}

import Coffer

extension Tool {
  /// Prints a readable description of a file.
  ///
  /// - Throws: ``ToolError`` if the file doesn't exist or can't be read.
  static func inspect(_ path: String, _ console: Console) throws {
    let inspection = DatabaseFile.inspect(at: path)
    switch inspection.kind {
    case .missing: throw ToolError(.noInput, "\(path): no such file")
    case .unreadable(let reason): throw ToolError(.noInput, "\(path): \(reason)")
    default: break
    }
    console.line("\(path.printable) is \(inspection.description).")
    var facts: [(term: String, text: String)] = []
    switch inspection.kind {
    case .plaintext(let header), .plaintextHeader(let header):
      facts += self.facts(header)
    case .encryptedOrUnknown(let salt):
      facts.append(("Salt", Numbers.hex(salt)))
    default:
      break
    }
    if let advice = advice(inspection.kind) { facts.append(("Next", advice)) }
    if !facts.isEmpty { console.facts(facts) }
  }

  private static func facts(
    _ header: DatabaseFile.Inspection.Header
  ) -> [(term: String, text: String)] {
    let version = header.sqliteVersion
    return [
      ("Pages", header.pageCount.map { Numbers.grouped($0) } ?? "not told"),
      ("Page size", "\(Numbers.grouped(header.pageSize)) bytes"),
      ("Journal", header.usesWAL ? "write-ahead log" : "rollback journal"),
      (
        "Written by",
        "SQLite \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
      ),
      ("user_version", "\(header.userVersion)"),
      ("application_id", "\(header.applicationID)"),
    ]
  }

  private static func advice(_ kind: DatabaseFile.Inspection.Kind) -> String? {
    switch kind {
    case .plaintext:
      "Anybody can read it. coffer encrypt makes an encrypted copy."
    case .encryptedOrUnknown:
      "Only its key can tell more: coffer info with a key, such as --passphrase-file PATH."
    case .plaintextHeader:
      "Opens with its raw key and salt only: 96 hexadecimal digits in a --key-file."
    default:
      nil
    }
  }
}

import Coffer
import CofferArchive
import CofferCore
import Glibc

extension Opening {
  /// Why a file isn't to be written by a command that works on the database; nil if it may be.
  ///
  /// The files of a database, and what gives its key, are known by any name: by links, by other
  /// paths, and by descriptors. They count before they are there, too: SQLite would take what is
  /// written for the database's log.
  func objection(toWriting output: String, _ attached: [String] = []) -> String? {
    for database in [path] + attached {
      for name in Set([database, PendingFile.resolved(database)]) {
        if Self.isSame(output, name) { return "is the database itself" }
        if Leftovers.files(of: name).contains(where: { Self.isSame(output, $0) }) {
          return "belongs to the database"
        }
      }
    }
    if let key = source?.file, Self.isSame(output, key) { return "gives the key" }
    if let anchor, Self.isSame(output, anchor.path) { return "is the anchor" }
    return nil
  }

  /// Whether two paths lead to the same file, or to the same place where none is.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    PendingFile.areSame(first, second) || place(first) == place(second)
  }

  /// The path with the links of its folders resolved.
  private static func place(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return PendingFile.resolved(folder) + "/" + name
  }
}

extension KeySource {
  /// The file that gives the key.
  fileprivate var file: String? {
    switch self {
    case .passphraseFile(let path), .keyFile(let path), .recoveryKeyFile(let path): path
    case .passphraseDescriptor(let number): "/dev/fd/\(number)"
    case .passphraseCommand, .credential: nil
    }
  }
}

extension Database {
  /// The files of the attached databases.
  func attachedFiles() throws -> [String] {
    try Row.fetchAll(self, sql: "PRAGMA database_list").map { $0["file"] as String? ?? "" }
      .filter { !$0.isEmpty }
  }
}

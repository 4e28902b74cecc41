import Synchronization

/// The names of the columns that key paths stand for.
package enum ColumnNames {
  /// A key path as a key.
  ///
  /// SAFETY: the key paths of properties capture nothing, and are immutable.
  private struct Key: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
  }

  /// Found names, for all record types: a key path knows its own.
  private static let known = Mutex<[Key: String]>([:])

  /// The name of the column of a stored property.
  package static func name<Record>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) -> String {
    let key = Key(keyPath: keyPath)
    if let name = known.withLock({ $0[key] }) { return name }
    let name = String("\(keyPath)".split(separator: ".").last ?? "")
    known.withLock { $0[key] = name }
    return name
  }
}

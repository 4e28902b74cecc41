import Synchronization

/// The names of the columns that key paths stand for.
package enum ColumnNames {
  /// Found names, for all record types: a key path knows its own.
  private static let known = Mutex<[AnyKeyPath: String]>([:])

  /// The name of the column of a stored property.
  package static func name<Record>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) -> String {
    if let name = known.withLock({ $0[keyPath] }) { return name }
    let name = String("\(keyPath)".split(separator: ".").last ?? "")
    known.withLock { $0[keyPath] = name }
    return name
  }
}

import CofferCore
import Synchronization

/// The names of the columns that key paths stand for.
@usableFromInline
enum ColumnNames {
  /// A key path as a dictionary key.
  ///
  /// SAFETY: key paths are immutable, and the cached ones lead to a property: they contain no
  /// subscript, and so have captured no arguments.
  private struct PropertyPath: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
  }

  /// The cached names for all record types; a key path includes its root type.
  private static let known = Mutex<[PropertyPath: String]>([:])

  /// The names by the objects of key paths: a literal is the same object each time.
  private static let literals = KeptNames()

  /// Returns the name of the column of a stored property.
  ///
  /// The name derives from the property's coding key, or from the property's name if there is no
  /// such key: a record with a custom `init(row:)` can have columns without a coding key.
  /// - Throws: ``DatabaseError`` if the key path isn't that of a stored property of the record
  ///   itself.
  /// - Complexity: After the first call for the key path, a comparison of addresses, or one
  ///   dictionary lookup.
  @usableFromInline
  static func name<Record>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) throws(DatabaseError) -> String {
    if let name = literals.name(of: keyPath) { return name }
    let path = PropertyPath(keyPath: keyPath)
    let knownName = known.withLock { known in
      let name = known[path]
      if let name { literals.keep(name, of: keyPath) }
      return name
    }
    if let knownName { return knownName }
    // The lock is not held here, because decoding runs code of the record type.
    if let naming = record as? any ColumnNaming.Type {
      let name = try declaredName(of: keyPath, in: naming)
      known.withLock { $0[path] = name }
      return name
    }
    guard let key = key(of: keyPath, in: record) else {
      throw noColumn(
        "\(keyPath) is no stored property of \(record): only those have columns",
        hint: "Use a stored property, or declare the columns by hand, in \(record): "
          + "enum Columns { static let name = Column(\"name\") }")
    }
    // The only place where a record type can customize the name.
    let name = (record as? any _CodingKeyColumns.Type)?._columnName(forCodingKey: key) ?? key
    known.withLock { $0[path] = name }
    return name
  }

  /// Returns the name that the type declares for the property.
  private static func declaredName<Record: ColumnNaming>(
    of keyPath: AnyKeyPath, in record: Record.Type
  ) throws(DatabaseError) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<Record>,
      let name = record.columnName(of: keyPath)
    else {
      throw noColumn(
        "\(keyPath) has no column in \(record)",
        hint: "Use Column(\"name\"), or add it to the mapping.")
    }
    return name
  }

  private static func noColumn(_ message: String, hint: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: message, hint: hint)
  }

  /// Returns the coding key of a property, or its name if it has no coding key.
  ///
  /// Key paths of properties with observers or wrappers, and of non-final classes, don't contain
  /// the name. Those properties are found by decoding sample values, as are all properties if the
  /// binary doesn't contain the names of coding keys.
  private static func key<Record>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) -> String? {
    let name = SwiftABI.names(of: keyPath)
    if name == "self" || name?.contains(where: { ".?!".contains($0) }) == true { return nil }
    guard let decodable = record as? any Decodable.Type else { return name }
    func open<D: Decodable>(_ type: D.Type) -> String? {
      if let name, SwiftABI.namesCases {
        return SampleRun.key(ofProperty: name, in: type) ?? name
      }
      guard let keyPath = keyPath as? PartialKeyPath<D>,
        let place = try? KeyPathSearch(keyPath, for: .record).place(), place.path.count == 1
      else { return nil }
      return place.key
    }
    return open(decodable)
  }
}

import Synchronization

/// The names of the columns that key paths stand for.
enum ColumnNames {
  /// A key path as a key.
  ///
  /// SAFETY: key paths are immutable, and those that are kept lead to a property:
  /// they have no subscript whose arguments they would have captured.
  private struct PropertyPath: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
  }

  /// Found names, for all record types: a key path knows its own.
  private static let known = Mutex<[PropertyPath: String]>([:])

  /// The name of the column of a stored property.
  ///
  /// It is the property's coding key where there is one, and otherwise the
  /// property's name: a record that reads its rows by itself may have columns that
  /// it has no keys for.
  /// - Precondition: The key path is that of a stored property of the record
  ///   itself. An error would have to be thrown by each expression.
  /// - Complexity: one lookup in a dictionary, but for the first time.
  static func name<Record>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) -> String {
    let path = PropertyPath(keyPath: keyPath)
    if let name = known.withLock({ $0[path] }) { return name }
    // Found without the lock: decoding runs code of the record.
    if let naming = record as? any ColumnNaming.Type {
      let name = declaredName(of: keyPath, in: naming)
      known.withLock { $0[path] = name }
      return name
    }
    guard let key = key(of: keyPath, in: record) else {
      preconditionFailure(
        """
        \(keyPath) is no stored property of \(record): only those have columns. \
        Use a stored property, or declare the columns by hand, in \
        \(record): enum Columns { static let name = Column("name") }
        """)
    }
    // The one place for what a record type may change in it.
    let name = (record as? any _CodingKeyColumns.Type)?._columnName(forCodingKey: key) ?? key
    known.withLock { $0[path] = name }
    return name
  }

  /// The name that the type itself tells.
  private static func declaredName<Record: ColumnNaming>(
    of keyPath: AnyKeyPath, in record: Record.Type
  ) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<Record>,
      let name = record.columnName(of: keyPath)
    else {
      preconditionFailure(
        "\(keyPath) has no column of its own in \(record): use Column(\"name\"), or map it")
    }
    return name
  }

  /// The coding key of a property; its name where it has none.
  ///
  /// Key paths of properties with observers or wrappers, and of classes that are not final, don't
  /// tell the name. Samples find those, and all where the names of coding keys aren't known.
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

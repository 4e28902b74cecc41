import Synchronization

/// The names of the columns that key paths stand for.
package enum ColumnNames {
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
  package static func name<Record>(
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
    let name = columnName(for: key, in: record)
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

  /// The column's name for a coding key: the one place for what a record type may
  /// change in it.
  private static func columnName<Record>(
    for key: CodableShape.Key, in record: Record.Type
  ) -> String {
    guard let record = record as? any _CodingKeyColumns.Type else { return key.name }
    return record._columnName(forCodingKey: key.name)
  }

  // MARK: Finding keys

  private static func key<Record>(
    of keyPath: PartialKeyPath<Record>, in record: Record.Type
  ) -> CodableShape.Key? {
    let decodable = record as? any Decodable.Type
    switch PropertyName(keyPath) {
    case .name(let property):
      return decodable.flatMap { key(ofProperty: property, in: $0) }
        ?? CodableShape.Key(property: property, name: property)
    case .unknown:
      guard let decodable else { return nil }
      func open<D: Decodable>(_ type: D.Type) -> CodableShape.Key? {
        (keyPath as? PartialKeyPath<D>).flatMap { PropertyProbe.key(of: $0, in: type) }
      }
      return open(decodable)
    case .nested:
      return nil
    }
  }

  /// The keys that the first container declares are asked first, since that runs
  /// next to no code of the record.
  private static func key<D: Decodable>(
    ofProperty property: String, in type: D.Type
  ) -> CodableShape.Key? {
    if let key = CodableShape.declaredKeys(type).first(where: { $0.property == property }) {
      return key
    }
    let shape = CodableShape.of(type)
    if let key = shape.key(ofProperty: property) { return key }
    // The storage behind a property wrapper.
    return property.hasPrefix("_") ? shape.key(ofProperty: String(property.dropFirst())) : nil
  }
}

/// What a key path tells of its property.
private enum PropertyName {
  case name(String)
  /// A computed property, or one that is accessed like one: with observers or a
  /// wrapper, of a class that is not final, or in a program without reflection metadata.
  case unknown
  /// A property of a property, or none.
  case nested

  init(_ keyPath: AnyKeyPath) {
    // `\Player.score`, `\Box<Int>.score`, `\Player.<computed 0x… (Int)>`
    let root = "\\\(_typeName(type(of: keyPath).rootType, qualified: false))."
    let description = "\(keyPath)"
    guard description.hasPrefix(root) else {
      self = .nested
      return
    }
    let path = description.dropFirst(root.count)
    if path.hasPrefix("<computed ") || path.hasPrefix("<offset ") {
      self = .unknown
    } else if path.isEmpty || path == "self" || path.contains(where: { ".?!<".contains($0) }) {
      self = .nested
    } else {
      self = .name(String(path))
    }
  }
}

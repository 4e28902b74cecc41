import CofferCore
import CofferQuery
import CofferRecords
import FoundationEssentials
import Synchronization

/// The description of a document type: its properties, and the columns of its key paths.
///
/// It is determined by decoding samples of the type, once per type and process.
final class DocumentType<Document: Codable>: Sendable {
  /// The properties in the order of decoding, which is the order of declaration.
  let properties: [DocumentProperty]
  /// The column of the identifier; nil if the type isn't `Identifiable`, or its `id` isn't a stored
  /// property.
  let identifier: DocumentColumn?
  /// The properties that are structs with known keys, by name.
  let structured: [String: DocumentProperty]

  /// The columns of the key paths that were used so far.
  private let columns = Mutex<[DocumentPath: DocumentColumn]>([:])

  /// Returns the description of the type, which is created at the first call.
  ///
  /// - Throws: ``DocumentError`` if the type can't be a document.
  /// - Complexity: one lookup, except for the first call.
  static func known() throws -> DocumentType {
    let id = ObjectIdentifier(Document.self)
    if let known = documentTypes.withLock({ $0[id] }) as? DocumentType { return known }
    // Created outside the lock, since decoding runs the type's code.
    let made = try DocumentType()
    documentTypes.withLock { $0[id] = made }
    return made
  }

  private init() throws {
    try DocumentType.checkKind()
    let (document, run) = try DocumentType.sample()
    let nodes = run.root.children
    guard run.isKeyed || !nodes.isEmpty else { throw DocumentType.hasNoProperties }
    try DocumentType.checkEncoding(of: document, nodes)
    if let node = nodes.flatMap(\.all).first(where: { $0.config == nil }) {
      throw DocumentError("\(Document.self).\(node.description) has two collations: keep one.")
    }
    var properties = nodes.map(DocumentProperty.init)
    var identifier = KeyPathSearch<Document>.identifier.flatMap {
      try? DocumentType.found($0)
    }
    if let id = identifier,
      let index = properties.firstIndex(where: { $0.name == id.name }),
      properties[index].collation(declaredFor: id) == nil
    {
      // Strings too are compared by their bytes, since references look identifiers up that way.
      let column = DocumentColumn(name: id.name, path: id.path)
      properties[index].use(column)
      identifier = column
    }
    DocumentType.checkStructures(of: document, &properties)
    self.properties = properties
    self.identifier = identifier
    structured = Dictionary(
      uniqueKeysWithValues: properties.filter { $0.structure != nil }.map { ($0.name, $0) })
  }

  /// Removes the structure of properties that store keys which they don't decode.
  private static func checkStructures(of document: Document, _ properties: inout [DocumentProperty])
  {
    guard properties.contains(where: { $0.structure != nil }) else { return }
    let stored = (try? StoredDocument(document).databaseDictionary) ?? [:]
    for index in properties.indices {
      guard var structure = properties[index].structure else { continue }
      let isCovered = structure.withUTF8 { known in
        guard let value = stored[properties[index].name], var json = String.fromDatabaseValue(value)
        else { return false }
        return json.withUTF8 {
          JSONKeeper.isCovered(UnsafeRawBufferPointer($0), by: UnsafeRawBufferPointer(known))
        }
      }
      if !isCovered { properties[index].structure = nil }
    }
  }

  // MARK: Key paths

  /// Returns the column of a key path.
  ///
  /// - Parameter segments: See ``KeyPathSearch``.
  /// - Throws: ``DocumentError`` if it leads to no stored property.
  /// - Complexity: one lookup, except for the first call, which decodes samples.
  func column(
    _ keyPath: PartialKeyPath<Document>, segments: [AnyKeyPath]? = nil
  ) throws -> DocumentColumn {
    let path = DocumentPath(keyPath: keyPath)
    if let column = columns.withLock({ $0[path] }) { return column }
    if let identifier, keyPath == KeyPathSearch<Document>.identifier { return identifier }
    // Searched outside the lock, since key paths run the type's code.
    var column = try DocumentType.found(keyPath, segments: segments)
    if column.path.isEmpty, let property = property(named: column.name) {
      column = property.column
    } else if let identifier, column.isSamePlace(as: identifier) {
      column = identifier
    }
    columns.withLock { $0[path] = column }
    return column
  }

  private static func found(
    _ keyPath: PartialKeyPath<Document>, segments: [AnyKeyPath]? = nil
  ) throws -> DocumentColumn {
    guard keyPath != \Document.self else {
      throw DocumentError(
        "\\.self of \(Document.self) is the whole document: it has no column of its own.")
    }
    let search = KeyPathSearch(keyPath, for: .document, segments: segments)
    let column = try DocumentColumn(DocumentError.from { try search.place() })
    guard column.isNested else { return column }
    // The JSON of the column must contain the value of a nested key path.
    let document = try DocumentType.sample().value
    let stored = try StoredDocument(document).databaseDictionary[column.name]
    guard let stored, var json = String.fromDatabaseValue(stored),
      json.withUTF8({ JSONScanner.find(in: UnsafeRawBufferPointer($0), at: column.jsonPath) })
        != nil
    else {
      throw DocumentError(
        "\(keyPath) leads to \(column.description), which isn't stored under that name: "
          + "\(column.name) has a custom Codable implementation.")
    }
    return column
  }

  private static func sample() throws -> (value: Document, run: SampleRun) {
    try DocumentError.from { try SampleRun.sample(of: Document.self, round: 0) }
  }

  /// Returns the property of a name.
  func property(named name: String) -> DocumentProperty? {
    properties.first { $0.name == name }
  }

  /// Returns whether a property of the document, or of a stored struct, is optional.
  func isOptional(_ column: DocumentColumn) throws -> Bool {
    let places = try DocumentType.sample().run.root.children.flatMap(\.all)
    let path = [PathStep.step(column.name)] + column.path
    return places.first { $0.path == path }?.isOptional == true
  }

  // MARK: Checking the type

  private static func checkKind() throws {
    let type = Document.self
    guard !SampleRun.isOneValue(type) else {
      throw DocumentError(
        "\(type) can't be a document: it has no stored properties to be columns. Store it as the "
          + "property of a struct.")
    }
  }

  private static var hasNoProperties: DocumentError {
    DocumentError(
      "\(Document.self) can't be a document: it has no stored property. Each property is a "
        + "column, and a table needs at least one.")
  }

  /// Returns the keys under which a sample is stored.
  private static func encodedKeys(of document: Document) throws -> Set<String> {
    do {
      return Set(try StoredDocument(document).databaseDictionary.keys)
    } catch EncodingError.invalidValue(let value, let context) where !context.codingPath.isEmpty {
      let property = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw DocumentError(
        "\(Document.self).\(property), of type \(Swift.type(of: value)), has values that can't be "
          + "stored: SQLite has no integer above \(Int64.max). Use other values, or conform the "
          + "property's type to SampleValueSource with two values that can be stored.")
    } catch { return [] }
  }

  /// Throws unless the type encodes exactly the keys that it decodes.
  private static func checkEncoding(of document: Document, _ nodes: [SampleNode]) throws {
    guard !nodes.isEmpty else { throw hasNoProperties }
    let decoded = nodes.map(\.key)
    let folded = Dictionary(grouping: decoded) { SQLName($0) }
    if let names = folded.values.first(where: { $0.count > 1 }) {
      throw DocumentError(
        "\(Document.self) has the properties \(names.joined(separator: " and ")): columns must "
          + "differ in more than the case of letters. Rename one in CodingKeys.")
    }
    if let name = decoded.first(where: { $0.contains("\0") }) {
      throw DocumentError(
        "\(Document.self) has the coding key \(String(reflecting: name)): a column's name can't have "
          + "the character NUL. Rename it in CodingKeys.")
    }
    let encoded = try encodedKeys(of: document)
    let constants = encoded.subtracting(decoded)
    guard constants.isEmpty || !encoded.isSuperset(of: decoded) else {
      throw DocumentError(
        "\(Document.self) can't be a document: it encodes \(constants.sorted().joined(separator: ", "))"
          + ", and never decodes it. A `let` that has a value already is none that can be fetched: "
          + "make it a `var`, or leave it out of CodingKeys.")
    }
    guard nodes.allSatisfy({ !$0.types.isEmpty }), encoded == Set(decoded) else {
      throw DocumentError(
        "\(Document.self) can't be a document: its own Codable doesn't encode each stored "
          + "property under the key from which it decodes it. Use the synthesized Codable; "
          + "CodingKeys can rename properties.")
    }
  }
}

/// The descriptions of all document types used so far.
private let documentTypes = Mutex<[ObjectIdentifier: any Sendable]>([:])

/// A key path as a key of a dictionary.
// SAFETY: key paths are immutable. Only key paths of stored properties are kept, and these have no
// subscripts, whose captured arguments might not be sendable.
private struct DocumentPath: Hashable, @unchecked Sendable {
  let keyPath: AnyKeyPath
}

extension DocumentProperty {
  init(_ node: SampleNode) {
    name = node.key
    let (stored, isOptional) = DocumentProperty.stored(node.types.first ?? Any.self)
    type = stored
    self.isOptional = isOptional || node.isOptional
    config = node.config ?? DocumentPropertyConfig()
    column = DocumentColumn(node)
    structure = node.structure
    nested = node.children.flatMap(\.all).compactMap { inside in
      guard !inside.isInList, let config = inside.config, config != DocumentPropertyConfig() else {
        return nil
      }
      return (DocumentColumn(inside), config)
    }
  }

  /// Returns the type without its wrappers and optionals, and whether it had an optional.
  fileprivate static func stored(_ type: any Any.Type) -> (type: any Any.Type, isOptional: Bool) {
    var stored = type
    var isOptional = false
    while let inner = inner(stored) {
      if stored is any AnyOptional.Type { isOptional = true }
      stored = inner
    }
    return (stored, isOptional)
  }

  /// Returns the type inside an optional or a wrapper.
  private static func inner(_ type: any Any.Type) -> (any Any.Type)? {
    func value<A: ConfigurationAnnotation>(_ type: A.Type) -> any Any.Type { A.Value.self }
    if let optional = type as? any AnyOptional.Type { return optional.wrappedType }
    if let annotation = type as? any ConfigurationAnnotation.Type { return value(annotation) }
    return nil
  }
}

extension DocumentColumn {
  init(_ node: SampleNode) {
    self.init(
      name: PathStep.name(node.path.first ?? ""), path: Array(node.path.dropFirst()),
      holding: node.children.isEmpty ? node.types : [])
    if let declared = node.config?.collation { collation = declared }
  }

  /// Creates a column of values of a type, with the collation of Swift's `==` for strings.
  ///
  /// - Parameter types: The type, and types of single values that stand for its values.
  init(name: String, path: [String], holding types: [any Any.Type]) {
    self.init(name: name, path: path)
    let stored = types.map { DocumentProperty.stored($0).type }
    if stored.first == String.self { collation = .string }
    let plain = stored.map(DocumentColumn.rawValueType)
    if plain.contains(where: { $0 == Decimal.self }) {
      numbers = .decimal
    } else if isNested, plain.contains(where: { $0 == UInt64.self || $0 == UInt.self }) {
      numbers = .unsigned
    }
  }

  private static func rawValueType(_ type: any Any.Type) -> any Any.Type {
    func raw<R: RawRepresentable>(_ type: R.Type) -> any Any.Type { R.RawValue.self }
    return (type as? any RawRepresentable.Type).map { rawValueType(raw($0)) } ?? type
  }

  /// Whether both lead to the same value.
  fileprivate func isSamePlace(as other: DocumentColumn) -> Bool {
    name == other.name && path == other.path
  }
}

extension DocumentProperty {
  /// Returns the collation that a wrapper declares for a place in the column.
  fileprivate func collation(declaredFor place: DocumentColumn) -> Collation? {
    guard place.isNested else { return config.collation }
    return nested.first { $0.column.isSamePlace(as: place) }?.config.collation
  }

  /// Replaces the column of the same place.
  fileprivate mutating func use(_ place: DocumentColumn) {
    if !place.isNested { column = place }
    for index in nested.indices where nested[index].column.isSamePlace(as: place) {
      nested[index].column = place
    }
  }
}

extension SampleNode {
  /// The configuration by the wrappers; nil if two of them contradict each other.
  fileprivate var config: DocumentPropertyConfig? {
    var config = DocumentPropertyConfig()
    for case let annotation as any ConfigurationAnnotation.Type in types {
      guard config.add(annotation.propertyConfig) else { return nil }
    }
    return config
  }

  /// The keys that the type knows, including nested ones: `{"city":0,"geo":{"lat":0}}`; nil if
  /// there are none, or if any key is possible.
  fileprivate var structure: String? {
    guard !children.isEmpty, !hasAnyKeys, !children.contains(where: \.isInList) else { return nil }
    let members = children.map { child in
      DocumentColumn.quoted(child.key) + ":" + (child.structure ?? "0")
    }
    return "{" + members.joined(separator: ",") + "}"
  }
}

extension DocumentError {
  /// Executes `body` and converts its sampling errors to ``DocumentError``.
  fileprivate static func from<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SampleError { throw DocumentError(error.message) }
  }
}

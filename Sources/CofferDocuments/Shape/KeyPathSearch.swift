import CofferCore
import CofferRecords
import FoundationEssentials

/// Finds the place in a document that a key path leads to.
///
/// It reads the key path in samples in which each place has a pattern of its own, until one place
/// is left that had the same value in all of them. Where code runs for the key path, or it has
/// another name than the place, that doesn't suffice: there are samples then in which the place has
/// values of all kinds. A property that is computed, and can't be set, is none at all.
struct KeyPathSearch<Document: Codable> {
  private let keyPath: PartialKeyPath<Document>
  /// The names in the key path, where it tells them: `address.city`.
  private let names: String
  /// Where code runs for it, which might compute anything.
  private let computed: [KeyPathParts.Computed]
  private let isIdentifier: Bool

  /// - Parameters:
  ///   - segments: The key paths that it was made of, where more than appending them was done.
  ///   - isIdentifier: Whether it is that of `Identifiable`, which may compute the identifier.
  init(
    _ keyPath: PartialKeyPath<Document>, segments: [AnyKeyPath]? = nil, isIdentifier: Bool = false
  ) {
    self.keyPath = keyPath
    self.isIdentifier = isIdentifier
    let segments = segments ?? [keyPath]
    computed = segments.flatMap { KeyPathParts($0).computed }
    let paths = segments.map { KeyPathSearch.path($0) }
    // A type of one value takes no space: what has it shares its place, and name, with others.
    let isNamed =
      !paths.contains { $0.isEmpty || $0.contains("<") }
      && KeyPathSearch.size(type(of: keyPath).valueType) > 0
    names = isNamed ? paths.joined(separator: ".").filter { !"?!".contains($0) } : ""
  }

  /// The key path without its root, as it describes itself.
  private static func path(_ keyPath: AnyKeyPath) -> Substring {
    let root = "\\\(_typeName(type(of: keyPath).rootType, qualified: false))."
    let description = "\(keyPath)"
    return description.hasPrefix(root) ? description.dropFirst(root.count) : ""
  }

  private static func size(_ type: any Any.Type) -> Int {
    func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
    return _openExistential(type, do: size)
  }

  func column() throws -> DocumentColumn {
    guard keyPath != \Document.self else {
      throw DocumentError(
        "\\.self of \(Document.self) is the whole document: it has no column of its own.")
    }
    try checkSubscripts()
    let elements = try elements()
    let (first, run) = try SampleRun.sample(of: Document.self, round: 0)
    let value = SampleComparand(first[keyPath: keyPath])
    var candidates = places(run, value)
    if isIdentifier, let named = candidates.first(where: { $0.properties == ["id"] }) {
      return DocumentColumn(named)
    }
    var hasVaried = false
    for round in 1..<SampleRun.count where !candidates.isEmpty {
      let (document, run) = try SampleRun.sample(of: Document.self, round: round)
      let other = SampleComparand(document[keyPath: keyPath])
      if !other.isEqual(to: value) { hasVaried = true }
      let paths = Set(places(run, other).map(\.path))
      candidates.removeAll { !paths.contains($0.path) }
      if round >= 8, hasVaried, candidates.count == 1 { break }
    }
    let place = try choose(candidates, hasVaried: hasVaried)
    if !computed.isEmpty || !isNamed(place) { try prove(place) }
    let column = DocumentColumn(place)
    guard place.path.filter({ $0 == "[0]" }).count == elements else { throw isNotStored }
    try checkIsStored(column, in: first)
    return column
  }

  /// How many parts are the first element of an array.
  ///
  /// - Throws: ``DocumentError`` where something is computed.
  private func elements() throws -> Int {
    let unproven = computed.filter { !$0.isSettable && !$0.isRequirement }
    // Of arrays, that of the first element remains; another one's values would be others.
    guard isIdentifier || unproven.allSatisfy({ $0.base is any SampledList.Type }) else {
      throw isNotStored
    }
    return unproven.count { $0.base is any SampledList.Type }
  }

  /// Compares values of all kinds.
  private func prove(_ place: SampleNode) throws {
    // What is forced must be there.
    let varying = SampleRun.Variation(
      path: place.path, mayBeMissing: !"\(keyPath)".contains("!"))
    for round in 0..<SampleRun.count {
      guard
        let (document, run) = try? SampleRun.sample(
          of: Document.self, round: round, varying: varying)
      else { throw isNotStored }
      let value = SampleComparand(document[keyPath: keyPath])
      let isThere = places(run, value).contains { $0.path == place.path }
      guard isThere || isMissing(value, run, place) else { throw isNotStored }
    }
  }

  /// Whether there is no value, in a list or a struct that isn't there.
  private func isMissing(_ value: SampleComparand, _ run: SampleRun, _ place: SampleNode) -> Bool {
    guard case .none = value else { return false }
    let present = run.root.children.flatMap(\.all)
    return !present.contains { $0.path == place.path && ($0.isNil || !$0.given.isEmpty) }
  }

  private func places(_ run: SampleRun, _ value: SampleComparand) -> [SampleNode] {
    run.root.children.flatMap(\.all).filter { node in
      if node.isNil, case .none = value { return true }
      return node.given.contains { SampleComparand($0).isEqual(to: value) }
    }
  }

  private func choose(_ candidates: [SampleNode], hasVaried: Bool) throws -> SampleNode {
    let named = candidates.filter(isNamed)
    if named.count == 1 { return named[0] }
    // Of a place that always has the same value, nothing but its type is known.
    guard let only = candidates.first, hasVaried || names.isEmpty else { throw isNotStored }
    guard candidates.count == 1 else { throw areAlike(candidates) }
    return only
  }

  /// Whether the key path's names are those of the place.
  private func isNamed(_ place: SampleNode) -> Bool {
    !names.isEmpty && place.properties.joined(separator: ".") == names
  }

  // MARK: Errors

  private var isNotStored: DocumentError {
    DocumentError(
      "\(keyPath) leads to no stored property of \(Document.self) that is encoded, and only those "
        + "are columns: it is computed, or can only be read where the key path is written. Use the "
        + "stored property, store what it computes, or write the condition in SQL.")
  }

  private func areAlike(_ candidates: [SampleNode]) -> DocumentError {
    let names = candidates.map(\.description).joined(separator: ", ")
    return DocumentError(
      "\(keyPath) can't be told apart in \(Document.self) from others that always have the same "
        + "value: \(names). Let their type conform to SampleValueSource with two different "
        + "values, if it has two.")
  }

  /// Key paths don't tell the index of an array, and reading it would be out of bounds.
  private func checkSubscripts() throws {
    let description = "\(keyPath)"
    guard ElementSubscripts.markers.contains(where: description.contains) else { return }
    throw DocumentError(
      "\(keyPath) leads to an element of an array or a dictionary, which is no column. Use "
        + "`.first`, a closure for the key of a dictionary (`{ $0.attributes[\"color\"] }`), or "
        + "write the condition in SQL: coffer_json(column, '$[0]').")
  }

  /// Whether the JSON of the column has what a nested key path leads to.
  private func checkIsStored(_ column: DocumentColumn, in document: Document) throws {
    guard column.isNested else { return }
    let stored = try SampleRecord(document: document).databaseDictionary[column.name]
    guard let stored, var json = String.fromDatabaseValue(stored),
      json.withUTF8({ JSONScanner.find(in: UnsafeRawBufferPointer($0), at: column.jsonPath) })
        != nil
    else {
      throw DocumentError(
        "\(keyPath) leads to \(column.description), which isn't stored under that name: the "
          + "Codable of \(column.name) is its own.")
    }
  }
}

/// How key paths are described that lead to elements.
private enum ElementSubscripts {
  /// `<computed 0x00007f5e6a4e8d80 ` of `\Array<Int>.<computed 0x00007f5e6a4e8d80 (Int)>`: the
  /// address is that of the standard library's code, whatever the elements are.
  static let markers: [String] = {
    let paths: [AnyKeyPath] = [
      \[Int].[0], \ArraySlice<Int>.[0], \ContiguousArray<Int>.[0], \[Int: Int].[0], \Data.[0],
    ]
    return paths.compactMap { path in
      let description = "\(path)"
      return description.firstRange(of: "<computed ").map { range in
        String(description[range.lowerBound...].prefix { $0 != "(" })
      }
    }
  }()
}

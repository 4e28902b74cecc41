import CofferCore
import CofferRecords
import FoundationEssentials

/// Finds the place in a document that a key path leads to.
///
/// It reads the key path in samples in which each place has a pattern of its own, until one place
/// is left that had the same value in all of them.
struct KeyPathSearch<Document: Codable> {
  private let keyPath: PartialKeyPath<Document>
  /// The names in the key path, where it tells them: `address.city`.
  private let names: String
  /// Whether code runs for it, which might compute anything.
  private let isComputed: Bool

  init(_ keyPath: PartialKeyPath<Document>) {
    self.keyPath = keyPath
    let root = "\\\(_typeName(Document.self, qualified: false))."
    let description = "\(keyPath)"
    let path = description.hasPrefix(root) ? description.dropFirst(root.count) : ""
    isComputed = path.isEmpty || path.contains("<")
    // A type of one value takes no space: what has it shares its place, and name, with others.
    let isNamed = !isComputed && KeyPathSearch.size(type(of: keyPath).valueType) > 0
    names = isNamed ? path.filter { !"?!".contains($0) } : ""
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
    let (first, run) = try SampleRun.sample(of: Document.self, round: 0)
    let value = SampleComparand(first[keyPath: keyPath])
    var candidates = places(run, value)
    var hasVaried = false
    // More samples for a computed property: it may well agree with a stored one in a few.
    let enough = isComputed ? SampleRun.count : 8
    for round in 1..<SampleRun.count where !candidates.isEmpty {
      let (document, run) = try SampleRun.sample(of: Document.self, round: round)
      let other = SampleComparand(document[keyPath: keyPath])
      if !other.isEqual(to: value) { hasVaried = true }
      let paths = Set(places(run, other).map(\.path))
      candidates.removeAll { !paths.contains($0.path) }
      if round >= enough, hasVaried, candidates.count == 1 { break }
    }
    let column = DocumentColumn(try choose(candidates, hasVaried: hasVaried))
    try checkIsStored(column, in: first)
    return column
  }

  private func places(_ run: SampleRun, _ value: SampleComparand) -> [SampleNode] {
    run.root.children.flatMap(\.all).filter { node in
      node.given.contains { SampleComparand($0).isEqual(to: value) }
    }
  }

  private func choose(_ candidates: [SampleNode], hasVaried: Bool) throws -> SampleNode {
    let named = candidates.filter { $0.properties.joined(separator: ".") == names }
    if named.count == 1 { return named[0] }
    // Of a place that always has the same value, nothing but its type is known.
    guard let only = candidates.first, hasVaried || names.isEmpty else { throw isNotStored }
    guard candidates.count == 1 else { throw areAlike(candidates) }
    return only
  }

  // MARK: Errors

  private var isNotStored: DocumentError {
    DocumentError(
      "\(keyPath) leads to no stored property of \(Document.self) that is encoded: only those "
        + "are columns. Store what it computes, or write the condition in SQL.")
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
        + "`.first`, or write the condition in SQL: coffer_json(column, '$[0]').")
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

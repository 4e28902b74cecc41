/// Finds the place in a type that a key path leads to.
///
/// It reads the key path in samples in which each place has a pattern of its own, until one place
/// is left that had the same value in all of them. Where code runs for the key path, or it has
/// another name than the place, that doesn't suffice: there are samples then in which the place has
/// values of all kinds. A property that is computed, and can't be set, is none at all.
package struct KeyPathSearch<Root: Decodable> {
  private let keyPath: PartialKeyPath<Root>
  private let use: SampleRun.Use
  /// The names in the key path, where it tells them: `address.city`.
  private let names: String?
  /// The parts of the key path; nil where they can't be told.
  private let parts: [KeyPathParts]?
  private let isIdentifier: Bool

  /// The key path of `Identifiable`, which may compute the identifier.
  package static var identifier: PartialKeyPath<Root>? {
    func path<T: Identifiable>(_ type: T.Type) -> AnyKeyPath { \T.id }
    return (Root.self as? any Identifiable.Type).flatMap { path($0) as? PartialKeyPath<Root> }
  }

  /// - Parameter segments: The key paths that it was made of, where more than appending them was
  ///   done.
  package init(
    _ keyPath: PartialKeyPath<Root>, for use: SampleRun.Use, segments: [AnyKeyPath]? = nil
  ) {
    self.keyPath = keyPath
    self.use = use
    isIdentifier = keyPath == KeyPathSearch.identifier
    let segments = segments ?? [keyPath]
    let parts = segments.compactMap { KeyPathParts($0) }
    self.parts = parts.count == segments.count ? parts : nil
    let names = segments.compactMap { SwiftABI.names(of: $0) }
    self.names =
      names.count == segments.count && SwiftABI.namesCases
      ? names.joined(separator: ".").filter { !"?!".contains($0) } : nil
  }

  /// The place.
  ///
  /// - Throws: ``SampleError`` for a key path that leads to none, or to one that can't be told.
  package func place() throws -> SampleNode {
    // The property that a protocol requires can be read, whatever it is.
    guard let parts = parts ?? (isIdentifier ? [] : nil) else { throw isUnreadable }
    let computed = parts.flatMap(\.computed)
    let elements = try elements(computed)
    var (candidates, hasVaried): ([SampleNode], Bool) = ([], false)
    var (first, varying): (SampleComparand?, SampleRun.Variation?)
    // A record that refuses samples of two values may take others.
    for kinds in [nil, SampleRun.Variation.all] where first == nil {
      varying = kinds
      for round in 0..<SampleRun.count {
        guard let (value, run) = try sample(round, kinds) else { continue }
        let found = places(run, value)
        guard let first else {
          (first, candidates) = (value, found)
          if isIdentifier, let named = found.first(where: { $0.properties == ["id"] }) {
            return named
          }
          continue
        }
        if !value.isEqual(to: first) { hasVaried = true }
        let paths = Set(found.map(\.path))
        candidates.removeAll { !paths.contains($0.path) }
        if candidates.isEmpty || round >= 8 && hasVaried && candidates.count == 1 { break }
      }
    }
    let place = try choose(candidates, hasVaried: hasVaried)
    if !computed.isEmpty || !isNamed(place) {
      // What is forced must be there.
      try prove(
        place,
        varying ?? .init(path: place.path, mayBeMissing: !parts.contains(where: \.isForced)))
    }
    guard place.path.filter({ $0 == "[0]" }).count == elements else { throw isNotStored }
    return place
  }

  /// What the key path reads in a sample; nil where a record refuses it.
  private func sample(
    _ round: Int, _ varying: SampleRun.Variation?
  ) throws -> (SampleComparand, SampleRun)? {
    do {
      let (value, run) = try SampleRun.sample(
        of: Root.self, round: round, varying: varying, for: use)
      return (SampleComparand(value[keyPath: keyPath]), run)
    } catch {
      if use == .document { throw error }
      return nil
    }
  }

  /// How many parts are the first element of an array.
  ///
  /// - Throws: ``SampleError`` where something is computed, and for elements: key paths don't tell
  ///   the index of an array, and reading it would be out of bounds.
  private func elements(_ computed: [KeyPathParts.Computed]) throws -> Int {
    // A property like `first`, which isn't settable, has generic arguments in generic code.
    let subscripts = computed.filter { $0.hasArguments && $0.isSettable }
    guard !subscripts.contains(where: { $0.base is any Collection.Type }) else { throw isElement }
    let unproven = computed.filter { !$0.isSettable && !$0.isRequirement }
    // Of arrays, that of the first element remains; another one's values would be others.
    guard isIdentifier || unproven.allSatisfy({ $0.base is any SampledList.Type }) else {
      throw isNotStored
    }
    return unproven.count { $0.base is any SampledList.Type }
  }

  /// Compares values of all kinds.
  private func prove(_ place: SampleNode, _ varying: SampleRun.Variation) throws {
    var proofs = 0
    for round in 0..<SampleRun.count {
      guard let (value, run) = try? sample(round, varying) else {
        if use == .document { throw isNotStored }
        continue
      }
      let isThere = places(run, value).contains { $0.path == place.path }
      guard isThere || isMissing(value, run, place) else { throw isNotStored }
      proofs += 1
    }
    guard proofs > 0 else { throw isNotStored }
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
    guard let only = candidates.first, hasVaried || names == nil else { throw isNotStored }
    guard candidates.count == 1 else { throw areAlike(candidates) }
    return only
  }

  /// Whether the key path's names are those of the place.
  private func isNamed(_ place: SampleNode) -> Bool {
    place.properties.joined(separator: ".") == names
  }

  // MARK: Errors

  private var isNotStored: SampleError {
    SampleError(
      "\(keyPath) leads to no stored property of \(Root.self) that is encoded, and only those "
        + "are columns: it is computed, or can only be read where the key path is written. Use the "
        + "stored property, store what it computes, or write the condition in SQL.")
  }

  private func areAlike(_ candidates: [SampleNode]) -> SampleError {
    let names = candidates.map(\.description).joined(separator: ", ")
    return SampleError(
      "\(keyPath) can't be told apart in \(Root.self) from others that always have the same "
        + "value: \(names). Let their type conform to SampleValueSource with two different "
        + "values, if it has two.")
  }

  private var isElement: SampleError {
    SampleError(
      "\(keyPath) leads to an element of an array or a dictionary, which is no column. Use "
        + "`.first`, a closure for the key of a dictionary (`{ $0.attributes[\"color\"] }`), or "
        + "write the condition in SQL: coffer_json(column, '$[0]').")
  }

  private var isUnreadable: SampleError {
    SampleError(
      "\(keyPath) can't be followed: this version of Swift has other key paths than those that "
        + "Coffer knows, and only stored properties of structs without wrappers and observers can "
        + "be told. Use one of those, declare the column, or write the condition in SQL.")
  }
}

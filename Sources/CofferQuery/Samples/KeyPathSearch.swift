/// Finds the property of a type that a key path refers to.
///
/// It reads the key path in samples in which each place has a different pattern, until only one
/// place remains with the same values in all samples. If the key path runs code, or has another
/// name than the place, this is not sufficient: the search then also uses samples in which the
/// place has arbitrary values. Computed properties without a setter are rejected.
package struct KeyPathSearch<Root: Decodable> {
  private let keyPath: PartialKeyPath<Root>
  private let use: SampleRun.Use
  /// The names in the key path, if known: `address.city`.
  private let names: String?
  /// The parts of the key path; nil if they are unknown.
  private let parts: [KeyPathParts]?
  private let isIdentifier: Bool

  /// The key path of `Identifiable.id`, which may be computed.
  package static var identifier: PartialKeyPath<Root>? {
    func path<T: Identifiable>(_ type: T.Type) -> AnyKeyPath { \T.id }
    return (Root.self as? any Identifiable.Type).flatMap { path($0) as? PartialKeyPath<Root> }
  }

  /// Creates a search for a key path.
  /// - Parameter segments: The key paths that were appended to form it, unless it is a simple one.
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

  /// Returns the place that the key path refers to.
  ///
  /// - Throws: ``SampleError`` if there is no such place, or if it is ambiguous.
  package func place() throws -> SampleNode {
    // `id` can be read even if its parts are unknown, since a protocol requires it.
    guard let parts = parts ?? (isIdentifier ? [] : nil) else { throw isUnreadable }
    let computed = parts.flatMap(\.computed)
    let elements = try elements(computed)
    var (candidates, hasVaried): ([SampleNode], Bool) = ([], false)
    var (first, varying): (SampleComparand?, SampleRun.Variation?)
    // A record that rejects samples of two values may accept others.
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
      // What `!` unwraps must not be nil.
      try prove(
        place,
        varying ?? .init(path: place.path, mayBeMissing: !parts.contains(where: \.isForced)))
    }
    guard place.path.filter({ $0 == "[0]" }).count == elements else { throw isNotStored }
    return place
  }

  /// Returns the value of the key path in a sample; nil if a record rejects the sample.
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

  /// Returns how many parts of the key path are an array's first element.
  ///
  /// - Throws: ``SampleError`` if a part is computed or an element: a key path doesn't reveal the
  ///   index of an array, and reading it could be out of bounds.
  private func elements(_ computed: [KeyPathParts.Computed]) throws -> Int {
    // In generic code, read-only properties such as `first` also have (generic) arguments.
    let subscripts = computed.filter { $0.hasArguments && $0.isSettable }
    guard !subscripts.contains(where: { $0.base is any Collection.Type }) else { throw isElement }
    let unproven = computed.filter { !$0.isSettable && !$0.isRequirement }
    // Of the properties of arrays, only `first` passes: others have different values.
    guard isIdentifier || unproven.allSatisfy({ $0.base is any SampledList.Type }) else {
      throw isNotStored
    }
    return unproven.count { $0.base is any SampledList.Type }
  }

  /// Compares the key path with the place in samples with arbitrary values.
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

  /// Returns whether the value is nil because an enclosing list or struct is missing.
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
    // Only the type is known for a place that always has the same value.
    guard let only = candidates.first, hasVaried || names == nil else { throw isNotStored }
    guard candidates.count == 1 else { throw areAlike(candidates) }
    return only
  }

  /// Returns whether the key path's names match the place.
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
      "\(keyPath) leads to an element of an array or a dictionary, which isn't a column. Use "
        + "`.first`, a closure for the key of a dictionary (`{ $0.attributes[\"color\"] }`), or "
        + "write the condition in SQL: coffer_json(column, '$[0]').")
  }

  private var isUnreadable: SampleError {
    SampleError(
      "\(keyPath) can't be resolved: Coffer doesn't know the layout of key paths in this version "
        + "of Swift, and can only resolve stored properties of structs, without wrappers and "
        + "observers. Use such a property, declare the column, or write the condition in SQL.")
  }
}

import CofferCore
import FoundationEssentials

/// A decoder without input, which returns sample values and records the requests for them.
struct SampleDecoder: Decoder {
  let run: SampleRun
  let node: SampleNode
  /// The types that are being decoded, from the outside in.
  var types: [ObjectIdentifier] = []
  /// The bit for all nested places; nil if each place has its own.
  var forcedBit: Int?

  var codingPath: [any CodingKey] { node.path.map { StringKey($0) } }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// Whether the decoder belongs to the sampled type itself.
  var isRoot: Bool { node === run.root && types.isEmpty }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try run.step()
    if isRoot { try run.declare(type) }
    return KeyedDecodingContainer(SampleKeyedContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try run.step()
    if isRoot, run.use == .document { throw refusal }
    return SampleUnkeyedContainer(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try run.step()
    if isRoot, run.use == .document { throw refusal }
    return SampleSingleValueContainer(decoder: self)
  }

  /// The error for a document type that isn't decoded from keys.
  private var refusal: SampleError {
    SampleError(
      "\(run.type) can't be a document: it is not decoded as a struct with a key for each "
        + "stored property. Make it a property of a struct with a synthesized Codable "
        + "conformance.")
  }

  func inside(_ node: SampleNode) -> SampleDecoder {
    SampleDecoder(run: run, node: node, types: types, forcedBit: forcedBit)
  }

  // MARK: Arbitrary values

  /// Whether the value at this place can be any of its type.
  var isVaried: Bool {
    guard let varying = run.varying?.path, forcedBit == nil else { return false }
    // The list or struct that contains the place can be missing too.
    return node.path.starts(with: varying) || varying.starts(with: node.path)
  }

  private var seed: UInt64 { node.seed(run.round) }

  /// Whether an optional at this place is nil.
  var omits: Bool { run.varying?.mayBeMissing == true && isVaried && seed % 7 == 0 }

  /// The number of elements of a list at this place.
  var count: Int {
    guard let varying = run.varying, isVaried else { return bit + 1 }
    return varying.mayBeMissing ? Int(seed % 4) : Int(seed % 3) + 1
  }

  /// Throws if an optional value of the type should be omitted.
  func mayOmit(_ type: any Any.Type) throws { try run.mayOmit(type, depth: types.count) }

  var bit: Int { forcedBit ?? node.bit(run.round) }

  /// The number that selects one of several values at this place.
  var choice: Int { isVaried ? Int(seed % 1024) : bit }

  // MARK: Values

  /// Returns a value of the type for this place.
  func value<T: Decodable>(_ type: T.Type) throws -> T {
    try run.step()
    node.note(type)
    let value = try makeValue(type)
    node.given.append(value)
    return value
  }

  private func makeValue<T: Decodable>(_ type: T.Type) throws -> T {
    if let source = type as? any SampleValueSource.Type {
      guard let value = source.sampleValues.value(type, bit: bit) else {
        throw SampleError("\(source).sampleValues must have two values of \(source) itself.")
      }
      return value
    }
    if isVaried, let value = StandardSamples.varied(type, seed: seed) { return value }
    if let value = StandardSamples.value(type, bit: bit) { return value }
    if let structured = type as? any SampledStructure.Type,
      let value = try structured.sample(self) as? T
    {
      return value
    }
    if SwiftABI.isEnum(type) { return try enumeration(type) }
    return try decoded(type)
  }

  // MARK: Enums

  private func enumeration<T: Decodable>(_ type: T.Type) throws -> T {
    if let iterable = type as? any CaseIterable.Type,
      let value = SampleDecoder.someCase(of: iterable, choice) as? T
    {
      return value
    }
    if let plain = PlainEnum(type) { return plain.value(at: choice % plain.count) }
    if let value = stored(type) { return value }
    if run.use != .document { return try decoded(type) }
    throw SampleError(
      """
      \(place) is an enum with associated values, of which no sample can be made. Add:
      extension \(type): SampleValueSource {
        static let sampleValues = SampleValues(\(type).…, \(type).…)
      }
      with any two different values.
      """)
  }

  private static func someCase<C: CaseIterable>(of type: C.Type, _ choice: Int) -> Any? {
    let cases = Array(type.allCases.prefix(max(choice + 1, 2)))
    return cases.isEmpty ? nil : cases[choice % cases.count]
  }

  // MARK: Types with a custom init(from:)

  private func decoded<T: Decodable>(_ type: T.Type) throws -> T {
    let id = ObjectIdentifier(type)
    // Nested once more, so that a key path finds the properties there.
    guard types.filter({ $0 == id }).count < 2 else { throw EndlessSample() }
    run.note(id)
    var decoder = inside(node)
    decoder.types.append(id)
    // The type may reject values that differ from each other. Some cases of an enum with associated
    // values can be infinitely recursive.
    let isEnum = SwiftABI.isEnum(type)
    let tries = isEnum ? [bit, 1 - bit, 2, 3] : forcedBit.map { [$0] } ?? [nil, bit, 1 - bit]
    let given = node.given
    for forcedBit in tries {
      decoder.forcedBit = forcedBit
      do {
        return try T(from: decoder)
      } catch let error
        where error is LongSample || !isEnum && (error is SampleError || error is EndlessSample)
      {
        throw error
      } catch {
        node.restart()
        node.given = given
      }
    }
    if let value = stored(type) { return value }
    throw SampleError(
      """
      \(place) can't be decoded from sample values: its init(from:) refuses them. Add:
      extension \(type): SampleValueSource {
        static let sampleValues = SampleValues(…, …)
      }
      with any two different values of \(type).
      """)
  }

  /// Returns a value created from an integer, or from a database value.
  private func stored<T>(_ type: T.Type) -> T? {
    var values = (type as? any RawRepresentable.Type).map { SampleDecoder.rawValued($0) } ?? []
    if values.isEmpty, let convertible = type as? any DatabaseValueConvertible.Type {
      let candidates: [DatabaseValue] = [
        0.databaseValue, 1.databaseValue, "0".databaseValue, "1".databaseValue,
        StandardSamples.identifier.databaseValue, "2000-01-01".databaseValue, Data().databaseValue,
      ]
      values = candidates.compactMap { convertible.fromDatabaseValue($0) }
    }
    return values.isEmpty ? nil : values[choice % values.count] as? T
  }

  /// Returns some values whose raw values are small integers.
  private static func rawValued<R: RawRepresentable>(_ type: R.Type) -> [Any] {
    func values<N: FixedWidthInteger>(_ type: N.Type) -> [Any] {
      let numbers = (-128...1024).lazy.compactMap { N(exactly: $0) as? R.RawValue }
      return Array(numbers.compactMap { R(rawValue: $0) }.prefix(8))
    }
    return (R.RawValue.self as? any FixedWidthInteger.Type).map { values($0) } ?? []
  }

  private var place: String {
    "\(run.type).\(node.description), of type \(node.types.first.map { "\($0)" } ?? "?"),"
  }
}

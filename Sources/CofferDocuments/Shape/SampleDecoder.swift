import CofferCore
import CofferQuery

/// A decoder without input: it answers what it is asked for with sample values, and notes it.
struct SampleDecoder: Decoder {
  let run: SampleRun
  let node: SampleNode
  /// The types that are being decoded, from the outside in.
  var types: [ObjectIdentifier] = []
  /// The bit of everything inside; nil where each place has its own.
  var forcedBit: Int?

  var codingPath: [any CodingKey] { node.path.map { SampleKey($0) } }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var isRoot: Bool { node === run.root }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try run.step()
    if isRoot { run.isKeyed = true }
    return KeyedDecodingContainer(SampleKeyedContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try run.step()
    guard !isRoot else { throw refusal }
    return SampleUnkeyedContainer(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try run.step()
    guard !isRoot else { throw refusal }
    return SampleSingleValueContainer(decoder: self)
  }

  /// A document that has no properties of its own.
  var refusal: DocumentError {
    DocumentError(
      "\(run.document) can't be a document: it is not decoded as a struct with a key for each "
        + "stored property. Store it as the property of a struct, and leave that one's Codable "
        + "to the compiler.")
  }

  func inside(_ node: SampleNode) -> SampleDecoder {
    SampleDecoder(run: run, node: node, types: types, forcedBit: forcedBit)
  }

  // MARK: Values of all kinds

  /// Whether the value here may be any of its type.
  var isVaried: Bool {
    guard let varying = run.varying?.path, forcedBit == nil else { return false }
    // The list or struct around the place may be missing as well.
    return node.path.starts(with: varying) || varying.starts(with: node.path)
  }

  private var seed: UInt64 { node.seed(run.round) }

  /// Whether an optional here is nil.
  var omits: Bool { run.varying?.mayBeMissing == true && isVaried && seed % 7 == 0 }

  /// The number of elements of a list here.
  var count: Int {
    guard let varying = run.varying, isVaried else { return bit + 1 }
    return varying.mayBeMissing ? Int(seed % 4) : Int(seed % 3) + 1
  }

  /// Ends what may be missing.
  func mayOmit(_ type: any Any.Type) throws { try run.mayOmit(type, depth: types.count) }

  var bit: Int { forcedBit ?? node.bit(run.round) }

  // MARK: Values

  /// A value of the type at this place.
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
        throw DocumentError("\(source).sampleValues must have two values of \(source) itself.")
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
    if let annotation = type as? any ConfigurationAnnotation.Type { try note(annotation) }
    if TypeKind(type) == .enumeration { return try enumeration(type) }
    return try decoded(type)
  }

  private func note<A: ConfigurationAnnotation>(_ annotation: A.Type) throws {
    guard node.note(A.propertyConfig) else {
      throw DocumentError("\(run.document).\(node.description) has two collations: keep one.")
    }
  }

  // MARK: Enums

  private func enumeration<T: Decodable>(_ type: T.Type) throws -> T {
    let choice = isVaried ? Int(seed % 1024) : bit
    if let iterable = type as? any CaseIterable.Type,
      let value = SampleDecoder.someCase(of: iterable, choice) as? T
    {
      return value
    }
    if let plain = PlainEnum(type) { return plain.value(at: choice % plain.count) }
    if let value = stored(type) { return value }
    throw DocumentError(
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

  // MARK: Types that decode themselves

  private func decoded<T: Decodable>(_ type: T.Type) throws -> T {
    let id = ObjectIdentifier(type)
    // Once more than the first time, so that a key path finds the properties in there.
    guard types.filter({ $0 == id }).count < 2 else { throw EndlessSample() }
    run.note(id)
    var decoder = inside(node)
    decoder.types.append(id)
    // Values that differ from each other may be what the type refuses.
    let tries = forcedBit.map { [$0] } ?? [nil, bit, 1 - bit]
    let given = node.given
    for forcedBit in tries {
      decoder.forcedBit = forcedBit
      do {
        return try T(from: decoder)
      } catch let error as DocumentError {
        throw error
      } catch let error where error is EndlessSample || error is LongSample {
        throw error
      } catch {
        node.restart()
        node.given = given
      }
    }
    if let value = stored(type) { return value }
    throw DocumentError(
      """
      \(place) can't be decoded from sample values: its init(from:) refuses them. Add:
      extension \(type): SampleValueSource {
        static let sampleValues = SampleValues(…, …)
      }
      with any two different values of \(type).
      """)
  }

  /// A value that a type makes of a database value.
  private func stored<T>(_ type: T.Type) -> T? {
    guard let convertible = type as? any DatabaseValueConvertible.Type else { return nil }
    let candidates: [DatabaseValue] = [
      0.databaseValue, 1.databaseValue, "0".databaseValue, "1".databaseValue,
    ]
    let values = candidates.compactMap { convertible.fromDatabaseValue($0) as? T }
    return values.isEmpty ? nil : values[bit % values.count]
  }

  private var place: String {
    "\(run.document).\(node.description), of type \(node.type.map { "\($0)" } ?? "?"),"
  }
}

/// A coding key that is nothing but a string.
struct SampleKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ string: String) { stringValue = string }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

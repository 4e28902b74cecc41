import CofferCore

/// One sample of a type, with the places found in it.
package final class SampleRun {
  /// The purpose of a sample.
  package enum Use {
    /// The type must accept every sample; errors describe what is missing.
    case document
    /// The type can reject samples; optional values are omitted if none can be made.
    case record
    /// Like a record, but ends when the type first requests keys.
    case keys
  }

  /// The maximum number of samples: the number of bits of a place's pattern.
  static let count = 64

  /// The place with arbitrary values, including its nested places.
  struct Variation {
    let path: [String]
    /// Whether optionals can be nil and lists empty.
    let mayBeMissing: Bool

    /// All places.
    static let all = Variation(path: [], mayBeMissing: false)
  }

  let round: Int
  /// The place with arbitrary values; nil if all places have two values.
  let varying: Variation?
  let type: any Any.Type
  let use: Use
  package let root = SampleNode()
  /// Whether the type requested keys.
  package private(set) var isKeyed = false
  /// The keys of the root's containers whose key types are enums.
  private(set) var keys: [(property: String, key: String)] = []
  /// Whether the type accepted the sample.
  private(set) var isComplete = false
  private let maximumDepth: Int
  /// Whether no smaller sample will be tried.
  private let isLast: Bool
  private var steps = 0
  /// The types decoded by a custom `init(from:)`.
  private var decodedTypes: Set<ObjectIdentifier> = []

  private init(
    _ type: any Any.Type, round: Int, varying: Variation?, for use: Use, depths: ArraySlice<Int>
  ) {
    self.type = type
    self.round = round
    self.varying = varying
    self.use = use
    maximumDepth = depths.first ?? 2
    isLast = depths.count <= 1
  }

  // MARK: Recording

  /// Counts a step. Throws if there are too many.
  func step() throws {
    steps += 1
    guard steps < (isLast ? 200_000 : 3000) else { throw LongSample() }
  }

  func note(_ type: ObjectIdentifier) { decodedTypes.insert(type) }

  /// Records that the root type requests keys.
  func declare<Key: CodingKey>(_ type: Key.Type) throws {
    isKeyed = true
    for key in PlainEnum(type)?.values ?? [] {
      keys.append((enumCaseName(key) ?? key.stringValue, key.stringValue))
    }
    if use == .keys { throw EndlessSample() }
  }

  /// Throws if an optional value should be omitted: deep inside, unless its type is new.
  ///
  /// This limits branching.
  func mayOmit(_ type: any Any.Type, depth: Int) throws {
    if depth >= maximumDepth, decodedTypes.contains(ObjectIdentifier(type)) {
      throw EndlessSample()
    }
  }

  /// Rethrows an error unless an optional value can be omitted because of it.
  func omit(after error: any Error) throws {
    guard error is EndlessSample || use != .document && !(error is LongSample) else { throw error }
  }

  // MARK: Samples

  /// Creates a sample.
  package static func sample<T: Decodable>(
    of type: T.Type, round: Int
  ) throws -> (value: T, run: SampleRun) {
    try sample(of: type, round: round, varying: nil, for: .document)
  }

  static func sample<T: Decodable>(
    of type: T.Type, round: Int, varying: Variation?, for use: Use
  ) throws -> (value: T, run: SampleRun) {
    let (result, run) = attempt(type, round, varying, use)
    do {
      return (try result.get(), run)
    } catch let error as SampleError {
      throw error
    } catch let error where error is EndlessSample || error is LongSample {
      throw SampleError(
        "\(type) contains itself recursively: make the recursive property optional, "
          + "or an array.")
    } catch {
      throw SampleError(
        "\(type) can't be a document: its own init(from:) rejects sample values. Use the "
          + "synthesized conformance, and validate values in the properties' types, which can "
          + "conform to SampleValueSource.")
    }
  }

  private static func attempt<T: Decodable>(
    _ type: T.Type, _ round: Int, _ varying: Variation?, _ use: Use,
    depths: ArraySlice<Int> = [100, 5, 4, 3, 2]
  ) -> (Result<T, any Error>, SampleRun) {
    let run = SampleRun(type, round: round, varying: varying, for: use, depths: depths)
    do {
      let value = try T(from: SampleDecoder(run: run, node: run.root))
      run.isComplete = true
      return (.success(value), run)
    } catch is LongSample where !run.isLast {
      return attempt(type, round, varying, use, depths: depths.dropFirst())
    } catch { return (.failure(error), run) }
  }

  /// Returns whether a type is stored as one value: enums, optionals, standard types.
  package static func isOneValue(_ type: any Any.Type) -> Bool {
    SwiftABI.isEnum(type) || type is any AnyOptional.Type || type is any SampledStructure.Type
      || StandardSamples.types.contains(ObjectIdentifier(type))
  }

  // MARK: Keys of records

  /// Returns whether a type is decoded from keys. No further code of it runs once it requests them.
  package static func isKeyed<T: Decodable>(_ type: T.Type) -> Bool {
    attempt(type, 0, nil, .keys).1.isKeyed
  }

  /// Returns the coding key of a property; nil if there is none.
  ///
  /// It first tries the keys of the first container, after which no code of the type runs. If the
  /// type rejects all samples, the keys requested before the error are used.
  static func key<T: Decodable>(ofProperty property: String, in type: T.Type) -> String? {
    let declared = attempt(type, 0, nil, .keys).1.keys
    if let key = declared.first(where: { $0.property == property })?.key { return key }
    let keys = fullest(type).root.children.map { ($0.property, $0.key) } + fullest(type).keys
    // The storage of a property wrapper begins with an underscore.
    let names = property.hasPrefix("_") ? [property, String(property.dropFirst())] : [property]
    return names.lazy.compactMap { name in keys.first { $0.0 == name }?.1 }.first
  }

  /// Returns the first sample that a type accepts, or else the one with the most keys.
  static func fullest<T: Decodable>(_ type: T.Type) -> SampleRun {
    var fullest: SampleRun?
    for varying in [nil, Variation.all] {
      for round in 0..<8 {
        let run = attempt(type, round, varying, .record).1
        if run.isComplete { return run }
        if run.root.children.count > fullest?.root.children.count ?? -1 { fullest = run }
      }
    }
    return fullest ?? attempt(type, 0, nil, .record).1
  }
}

/// An error for a type or key path that samples don't reveal enough about, with a solution.
package struct SampleError: Error {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// Thrown if a type contains itself: optional values are omitted and lists left empty then.
struct EndlessSample: Error {}

/// Thrown if a sample has too many values; a smaller one is tried then.
struct LongSample: Error {}

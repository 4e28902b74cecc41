import CofferCore

/// One sample of a type: what is where in it.
package final class SampleRun {
  /// What a type is sampled for.
  package enum Use {
    /// It must take every sample, and each error says what is missing.
    case document
    /// It may refuse samples, and values that may be missing are so where none can be made.
    case record
    /// As for a record, up to the first keys that it asks for.
    case keys
  }

  /// There are so many samples at most: as many as a place's pattern has bits.
  static let count = 64

  /// A place that has values of all kinds, with all inside of it.
  struct Variation {
    let path: [String]
    /// Whether nil is one of them, and lists may be empty.
    let mayBeMissing: Bool

    /// All places.
    static let all = Variation(path: [], mayBeMissing: false)
  }

  let round: Int
  /// Nil where all have two values.
  let varying: Variation?
  let type: any Any.Type
  let use: Use
  package let root = SampleNode()
  /// Whether the type asked for keys.
  package private(set) var isKeyed = false
  /// The keys of its containers that are enums.
  private(set) var keys: [(property: String, key: String)] = []
  /// Whether the type took the sample.
  private(set) var isComplete = false
  private let maximumDepth: Int
  /// Whether nothing smaller will be tried.
  private let isLast: Bool
  private var steps = 0
  /// The types that have been decoded by their own `init(from:)`.
  private var decodedTypes: Set<ObjectIdentifier> = []

  private init(
    _ type: any Any.Type, round: Int, varying: Variation?, for use: Use, maximumDepth: Int,
    isLast: Bool
  ) {
    self.type = type
    self.round = round
    self.varying = varying
    self.use = use
    self.maximumDepth = maximumDepth
    self.isLast = isLast
  }

  // MARK: What the decoder notes

  /// Ends what goes on and on.
  func step() throws {
    steps += 1
    guard steps < (isLast ? 200_000 : 3000) else { throw LongSample() }
  }

  func note(_ type: ObjectIdentifier) { decodedTypes.insert(type) }

  /// Notes that the type itself asks for keys.
  func declare<Key: CodingKey>(_ type: Key.Type) throws {
    isKeyed = true
    for key in PlainEnum(type)?.values ?? [] {
      keys.append((enumCaseName(key) ?? key.stringValue, key.stringValue))
    }
    if use == .keys { throw EndlessSample() }
  }

  /// Ends what branches and branches: deep inside, values that may be missing are so, unless
  /// their types are new.
  func mayOmit(_ type: any Any.Type, depth: Int) throws {
    if depth >= maximumDepth, decodedTypes.contains(ObjectIdentifier(type)) {
      throw EndlessSample()
    }
  }

  /// Throws an error after which what may be missing isn't left out.
  func omit(after error: any Error) throws {
    guard error is EndlessSample || use != .document && !(error is LongSample) else { throw error }
  }

  // MARK: Samples

  /// Makes a sample.
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
        "\(type) contains itself without end: make the property in which it does optional, "
          + "or an array.")
    } catch {
      throw SampleError(
        "\(type) can't be a document: its own init(from:) refuses what it decodes. Leave Codable "
          + "to the compiler, and let the properties' types check their values, which may "
          + "conform to SampleValueSource.")
    }
  }

  private static func attempt<T: Decodable>(
    _ type: T.Type, _ round: Int, _ varying: Variation?, _ use: Use,
    depths: ArraySlice<Int> = [100, 5, 4, 3, 2]
  ) -> (Result<T, any Error>, SampleRun) {
    let run = SampleRun(
      type, round: round, varying: varying, for: use, maximumDepth: depths.first ?? 2,
      isLast: depths.count <= 1)
    do {
      let value = try T(from: SampleDecoder(run: run, node: run.root))
      run.isComplete = true
      return (.success(value), run)
    } catch is LongSample where !run.isLast {
      return attempt(type, round, varying, use, depths: depths.dropFirst())
    } catch { return (.failure(error), run) }
  }

  /// Whether a type has no properties that are stored apart: enums, optionals, standard types.
  package static func isOneValue(_ type: any Any.Type) -> Bool {
    SwiftABI.isEnum(type) || type is any AnyOptional.Type || type is any SampledStructure.Type
      || StandardSamples.types.contains(ObjectIdentifier(type))
  }

  // MARK: Keys of records

  /// Whether a type is decoded from keys: no code of it runs once it has asked for them.
  package static func isKeyed<T: Decodable>(_ type: T.Type) -> Bool {
    attempt(type, 0, nil, .keys).1.isKeyed
  }

  /// The coding key of a property; nil where there is none.
  ///
  /// The keys that the first container declares are asked first: no code of the type runs after
  /// that. Where the type refuses all samples, what it asked for until then is known.
  static func key<T: Decodable>(ofProperty property: String, in type: T.Type) -> String? {
    let declared = attempt(type, 0, nil, .keys).1.keys
    if let key = declared.first(where: { $0.property == property })?.key { return key }
    let keys = fullest(type).root.children.map { ($0.property, $0.key) } + fullest(type).keys
    // The storage behind a property wrapper has an underscore.
    let names = property.hasPrefix("_") ? [property, String(property.dropFirst())] : [property]
    return names.lazy.compactMap { name in keys.first { $0.0 == name }?.1 }.first
  }

  /// The first sample that a type takes, or else the one that it got farthest with.
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

/// A type, or a key path, of which samples show too little, with what to do.
package struct SampleError: Error {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// Thrown where a type contains itself: what may be missing, or empty, is so there.
struct EndlessSample: Error {}

/// Thrown where there is too much in a sample: less of it will do.
struct LongSample: Error {}

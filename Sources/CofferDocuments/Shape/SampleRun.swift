/// One sample of a document type: the document, and what is where in it.
final class SampleRun {
  /// There are so many samples at most: as many as a place's pattern has bits.
  static let count = 64

  /// A place that has values of all kinds, with all inside of it.
  struct Variation {
    let path: [String]
    /// Whether nil is one of them, and lists may be empty.
    let mayBeMissing: Bool
  }

  let round: Int
  /// Nil where all have two values.
  let varying: Variation?
  let document: any Any.Type
  let root = SampleNode()
  /// Whether the type asked for keys.
  var isKeyed = false
  private let maximumDepth: Int
  /// Whether nothing smaller will be tried.
  private let isLast: Bool
  private var steps = 0
  /// The types that have been decoded by their own `init(from:)`.
  private var decodedTypes: Set<ObjectIdentifier> = []

  private init(
    _ document: any Any.Type, round: Int, varying: Variation?, maximumDepth: Int, isLast: Bool
  ) {
    self.document = document
    self.round = round
    self.varying = varying
    self.maximumDepth = maximumDepth
    self.isLast = isLast
  }

  /// Ends what goes on and on.
  func step() throws {
    steps += 1
    guard steps < (isLast ? 200_000 : 3000) else { throw LongSample() }
  }

  func note(_ type: ObjectIdentifier) { decodedTypes.insert(type) }

  /// Ends what branches and branches: deep inside, values that may be missing are so, unless
  /// their types are new.
  func mayOmit(_ type: any Any.Type, depth: Int) throws {
    if depth >= maximumDepth, decodedTypes.contains(ObjectIdentifier(type)) {
      throw EndlessSample()
    }
  }

  /// Makes the sample.
  static func sample<Document: Codable>(
    of type: Document.Type, round: Int, varying: Variation? = nil
  ) throws -> (document: Document, run: SampleRun) {
    for maximumDepth in [100, 5, 4, 3] {
      let run = SampleRun(
        type, round: round, varying: varying, maximumDepth: maximumDepth, isLast: false)
      do { return try run.sample(type) } catch is LongSample {}
    }
    return try SampleRun(type, round: round, varying: varying, maximumDepth: 2, isLast: true)
      .sample(type)
  }

  private func sample<Document: Codable>(
    _ type: Document.Type
  ) throws -> (document: Document, run: SampleRun) {
    do {
      return (try Document(from: SampleDecoder(run: self, node: root)), self)
    } catch let error as DocumentError {
      throw error
    } catch is LongSample where !isLast {
      throw LongSample()
    } catch let error where error is EndlessSample || error is LongSample {
      throw DocumentError(
        "\(type) contains itself without end: make the property in which it does optional, "
          + "or an array.")
    } catch {
      throw DocumentError(
        "\(type) can't be a document: its own init(from:) refuses what it decodes. Leave Codable "
          + "to the compiler, and let the properties' types check their values, which may "
          + "conform to SampleValueSource.")
    }
  }
}

/// Thrown where a type contains itself: what may be missing, or empty, is so there.
struct EndlessSample: Error {}

/// Thrown where there is too much in a document: less of it will do.
struct LongSample: Error {}

/// One sample of a document type: the document, and what is where in it.
final class SampleRun {
  /// There are so many samples at most: as many as a place's pattern has bits.
  static let count = 64

  let round: Int
  let document: any Any.Type
  let root = SampleNode()
  /// Whether the type asked for keys.
  var isKeyed = false
  private var remainingSteps = 20_000

  init(_ document: any Any.Type, round: Int) {
    self.document = document
    self.round = round
  }

  /// Ends what goes on and on.
  func step() throws {
    remainingSteps -= 1
    guard remainingSteps > 0 else { throw EndlessSample() }
  }

  /// Makes the sample.
  static func sample<Document: Codable>(
    of type: Document.Type, round: Int
  ) throws -> (document: Document, run: SampleRun) {
    let run = SampleRun(type, round: round)
    do {
      return (try Document(from: SampleDecoder(run: run, node: run.root)), run)
    } catch let error as DocumentError {
      throw error
    } catch is EndlessSample {
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

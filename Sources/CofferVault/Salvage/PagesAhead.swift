import Dispatch
import FoundationEssentials

/// The pages of a damaged file in a given order, decoded on other threads before they are asked
/// for.
///
/// The caller's thread reads what is stored, as SQLite's file layer isn't meant for several at the
/// same time. What is decoded and wasn't asked for is a few dozen pages for each core.
struct PagesAhead<Decoded: Sendable> {
  typealias Decode = @Sendable (_ decoder: SalvageDecoder, Int, _ stored: [UInt8]?) -> Decoded

  private static var batchSize: Int { 32 }

  private let source: SalvageSource
  private let decode: Decode
  private var numbers: ArraySlice<Int>
  private let batchCount = max(2, min(8, ProcessInfo.processInfo.activeProcessorCount))
  private var begun: [(numbers: ArraySlice<Int>, work: BackgroundWork<[Decoded]?>)] = []
  /// The pages of a batch, the next one at the end.
  private var ready: [(number: Int, decoded: Decoded)] = []

  /// - Parameter decode: Called on other threads, with nil for what isn't stored or can't be read.
  init(_ source: SalvageSource, _ numbers: [Int], decode: @escaping Decode) {
    self.source = source
    self.decode = decode
    self.numbers = numbers[...]
  }

  /// Returns the next page; nil after the last one.
  mutating func next() -> (number: Int, decoded: Decoded)? {
    while begun.count < batchCount, !numbers.isEmpty { beginBatch() }
    if ready.isEmpty {
      guard !begun.isEmpty else { return nil }
      let (numbers, work) = begun.removeFirst()
      // Without a decoder, for lack of memory, this thread has one.
      let decoded =
        (try? work.value())
        ?? numbers.map { decode(source.decoder, $0, source.stored($0)) }
      ready = zip(numbers, decoded).reversed()
    }
    return ready.removeLast()
  }

  /// Returns a page, and leaves out those before it; nil if it doesn't come.
  mutating func take(_ number: Int) -> Decoded? {
    while let page = next() {
      if page.number == number { return page.decoded }
    }
    return nil
  }

  private mutating func beginBatch() {
    let batch = numbers.prefix(Self.batchSize)
    numbers.removeFirst(batch.count)
    let stored = batch.map { ($0, source.stored($0)) }
    let work = BackgroundWork { [format = source.format, decode] in
      SalvageDecoder(format).map { decoder in stored.map { decode(decoder, $0.0, $0.1) } }
    }
    begun.append((batch, work))
  }
}

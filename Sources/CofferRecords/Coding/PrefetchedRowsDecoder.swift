import CofferCore
import FoundationEssentials

/// A decoder of the prefetched rows of a row.
///
/// It decodes arrays, sets, and other types that request an unkeyed container.
final class PrefetchedRowsDecoder: Decoder, SingleValueDecodingContainer {
  fileprivate let rows: RowList
  /// The object that shows the rows.
  @safe @exclusivity(unchecked) private var shown: Row?
  /// The reading of the row to which the rows belong.
  fileprivate let reading: RowReading
  fileprivate var rules: DecodingRules { reading.rules }
  let codingPath: [any CodingKey]

  init(_ rows: RowList, _ reading: RowReading, codingPath: [any CodingKey]) {
    self.rows = rows
    self.reading = reading
    self.codingPath = codingPath
  }

  deinit { rows.end(shown) }

  /// Returns the row at an index, which is valid until the next call.
  fileprivate func row(_ index: Int) -> Row {
    rows.show(index, in: &shown)
    return shown ?? Row()
  }

  var userInfo: [CodingUserInfoKey: Any] { rules.userInfo }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { PrefetchedRowsContainer(self) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: Any].self, "prefetched rows are a list, and have no keys")
  }

  // MARK: A type that wraps a list

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }
}

/// An array of decodable values.
protocol DecodableArray {
  /// Decodes the rows of a decoder, as the standard library does by way of a container.
  static func decoded(from decoder: PrefetchedRowsDecoder) throws -> Self
}

extension Array: DecodableArray where Element: Decodable {
  static func decoded(from decoder: PrefetchedRowsDecoder) throws -> [Element] {
    var container = PrefetchedRowsContainer(decoder)
    // SAFETY: there is memory for as many elements as there are rows.
    return try unsafe Array(unsafeUninitializedCapacity: decoder.rows.count) { elements, count in
      while !container.isAtEnd {
        unsafe elements.initializeElement(at: count, to: try container.decode(Element.self))
        count += 1
      }
    }
  }
}

/// A container for the rows, in order.
private struct PrefetchedRowsContainer: UnkeyedDecodingContainer {
  private let decoder: PrefetchedRowsDecoder
  private(set) var currentIndex = 0
  /// Decodes rows with the columns of `layout`.
  private var reader: KeptObject?
  private var layout: RowLayout?
  private var adaptation: RowAdaptation?
  /// The object that showed the previous row: the same object has the same columns.
  private var previous: ObjectIdentifier?

  init(_ decoder: PrefetchedRowsDecoder) { self.decoder = decoder }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.rows.count }
  var isAtEnd: Bool { currentIndex == decoder.rows.count }

  private mutating func nextRow(for type: Any.Type) throws -> Row {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "there are no more prefetched rows"))
    }
    defer { currentIndex += 1 }
    return decoder.row(currentIndex)
  }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let row = try nextRow(for: type)
    do { return try reader(type, row).read(row) } catch {
      currentIndex -= 1
      throw error
    }
  }

  /// Returns the reader of the previous row if the row has the same columns; otherwise, a new one.
  private mutating func reader<T: Decodable>(_ type: T.Type, _ row: Row) -> RowReader<T> {
    if previous == ObjectIdentifier(row)
      || layout === row.baseLayout && adaptation === row.adaptation,
      let reader: RowReader<T> = reader?.get()
    {
      return reader
    }
    let (rules, codingPath) = (decoder.rules, decoder.codingPath)
    let reader = RowReader<T>.elementReader {
      RowReading(rules, codingPath: codingPath, types: [ObjectIdentifier(type)])
    }
    self.reader = KeptObject(reader)
    layout = row.baseLayout
    adaptation = row.adaptation
    previous = ObjectIdentifier(row)
    return reader
  }

  private mutating func nextDecoder() throws -> RowDecoder {
    let row = try nextRow(for: Row.self)
    return decoder.reading.part(row, codingPath: codingPath)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nextDecoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw decoder.mismatch([Any].self, "a prefetched row can't be decoded as a list")
  }

  mutating func superDecoder() throws -> any Decoder { try nextDecoder() }
}

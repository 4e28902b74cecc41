import CofferCore
import FoundationEssentials

/// A decoder of rows, which is reused for one row after another.
///
/// It returns the same container for a type of keys each time, since creating one takes several
/// allocations.
@usableFromInline
@safe class RowDecoder: Decoder, SingleValueDecodingContainer {
  @usableFromInline final let reading: RowReading
  @safe @usableFromInline final let live: UnsafeMutablePointer<LiveRow>
  @safe @exclusivity(unchecked) private final var containers = KeptContainers()
  /// The copied rows that the decoder can decode while it waits for its next use.
  final var waitsFor: WaitingDecoders.Rows?

  init(_ reading: RowReading) {
    self.reading = reading
    live = reading.live
    if reading.decoder == nil { reading.decoder = self }
  }

  deinit {
    if reading.decoder === self { reading.decoder = nil }
  }

  @usableFromInline final var codingPath: [any CodingKey] { reading.codingPath }
  @usableFromInline final var userInfo: [CodingUserInfoKey: Any] { reading.rules.userInfo }

  @usableFromInline
  final func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    containers.container(keyedBy: type) {
      KeyedDecodingContainer(RowKeyedContainer<Key>(reading))
    }
  }

  @usableFromInline
  final func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if let key = reading.missingKey { throw reading.keyNotFound(key) }
    throw mismatch([Any].self, "a row can't be decoded as a list")
  }

  // MARK: A type that wraps a whole row

  @usableFromInline
  final func singleValueContainer() -> any SingleValueDecodingContainer { self }

  @usableFromInline
  final func decodeNil() -> Bool {
    guard let row = reading.row, reading.missingKey == nil else { return true }
    return !row.containsNonNullValue
  }

  @usableFromInline
  final func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let row = try reading.currentRow()
    if reading.missingKey != nil, let optional = type as? any AnyOptional.Type,
      let value = optional.none as? T
    {
      return value
    }
    if type is any FetchableRecord.Type {
      return try RowReader<T>.reader { [reading] in reading }.value(of: row)
    }
    guard type is any DatabaseValueConvertible.Type else { return try T(from: self) }
    // If a column was expected, it is missing.
    if let key = reading.missingKey, let slot = try? reading.slot(key) {
      throw reading.columnNotFound(slot)
    }
    throw mismatch(type, "a row can't be decoded as a single value")
  }
}

extension Decoder {
  /// Returns the error for a type that can't be decoded here.
  func mismatch(_ type: Any.Type, _ message: String) -> DecodingError {
    .typeMismatch(type, DecodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}

/// A record type's decoder for rows with certain columns.
@usableFromInline
final class RecordDecoder<Record: FetchableRecord & Decodable>: RowDecoder {
  @usableFromInline
  init() {
    super.init(RowReading(DecodingRules(Record.self), types: [ObjectIdentifier(Record.self)]))
  }

  /// Returns the record decoded from a row.
  @inlinable
  static func record(_ row: Row) throws -> Record {
    if let decoder = row.knownPlan(RecordDecoder<Record>.self) { return try decoder.decode(row) }
    // A copy keeps the plan of one type.
    guard !row.keepsPlan || (unsafe row.core == nil && row.plan != nil) else {
      return try row.findPlan(RecordDecoder<Record>.self) { RecordDecoder() }.decode(row)
    }
    return try decodeCopy(row)
  }

  @inlinable
  func decode(_ row: Row) throws -> Record {
    // While a record is being decoded, another record of the type needs another decoder.
    guard live.pointee.enter(row) else { return try RecordDecoder().decode(row) }
    defer { live.pointee.leave() }
    return try Record(from: self)
  }

  /// Returns the record decoded from a copied row.
  ///
  /// Copies with the same columns share a decoder, which is idle between uses.
  @inlinable
  static func decodeCopy(_ row: Row) throws -> Record {
    let decoder: RecordDecoder<Record>
    if let waiting = WaitingDecoders.take(ObjectIdentifier(Record.self), row),
      let known = exactly(RecordDecoder<Record>.self, waiting)
    {
      decoder = known
    } else {
      decoder = RecordDecoder()
      WaitingDecoders.prepare(decoder, ObjectIdentifier(Record.self), row)
    }
    defer { WaitingDecoders.put(decoder) }
    return try decoder.decode(row)
  }
}

extension FetchableRecord where Self: Decodable {
  /// Decodes a record from a row with `init(from:)`.
  ///
  /// - Throws: ``RowDecodingError`` if a column is missing or its value can't be converted, or the
  ///   error of `init(from:)`.
  @inlinable
  public init(row: Row) throws { self = try RecordDecoder<Self>.record(row) }
}

/// Decodes records from rows.
///
/// For records that implement `init(row:)` and leave most of the work to `init(from:)`:
///
/// ```swift
/// init(row: Row) throws {
///   self = try FetchableRecordDecoder().decode(Self.self, from: row)
///   isCached = row["isCached"] ?? false
/// }
/// ```
public final class FetchableRecordDecoder {
  /// Creates a decoder.
  public init() {}

  /// Decodes a record from a row with `init(from:)`.
  ///
  /// - Throws: ``RowDecodingError`` if a column is missing or its value can't be converted, or the
  ///   error of `init(from:)`.
  public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
    try RecordDecoder<T>.record(row)
  }
}

/// A decoder is valid only in the database access that fetched its rows.
@available(*, unavailable)
extension FetchableRecordDecoder: Sendable {}

import CofferCore
import FoundationEssentials

/// A decoder of rows, used for one after the other.
///
/// It hands out the same container for a type of keys each time: making one would take
/// several allocations.
@usableFromInline
final class RowDecoder: Decoder {
  @usableFromInline let reading: RowReading
  private var keyType: ObjectIdentifier?
  private var container: AnyObject?
  /// The containers of further types of keys: those of superclasses, mostly.
  private var containers: [ObjectIdentifier: AnyObject] = [:]

  private final class Box<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) { self.container = container }
  }

  init(_ reading: RowReading) {
    self.reading = reading
    if reading.decoder == nil { reading.decoder = self }
  }

  deinit { if reading.decoder === self { reading.decoder = nil } }

  @usableFromInline var codingPath: [any CodingKey] { reading.codingPath }
  @usableFromInline var userInfo: [CodingUserInfoKey: Any] { reading.rules.userInfo }

  @usableFromInline
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    if keyType == ObjectIdentifier(type), let container {
      // SAFETY: made below, for that type of keys.
      return unsafeDowncast(container, to: Box<Key>.self).container
    }
    return findContainer(keyedBy: type)
  }

  private func findContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedDecodingContainer<Key> {
    let id = ObjectIdentifier(type)
    if let known = containers[id] {
      // SAFETY: as above.
      return unsafeDowncast(known, to: Box<Key>.self).container
    }
    let box = Box<Key>(KeyedDecodingContainer(RowKeyedContainer<Key>(reading)))
    if keyType == nil {
      keyType = id
      container = box
    } else {
      containers[id] = box
    }
    return box.container
  }

  /// - Throws: Always: a row is no list. Who asks for one wants prefetched rows that
  ///   aren't there.
  @usableFromInline
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if let key = reading.missingKey { throw reading.keyNotFound(key) }
    throw DecodingError.typeMismatch(
      [Any].self,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "a row can't be decoded as a list"))
  }

  @usableFromInline
  func singleValueContainer() -> any SingleValueDecodingContainer {
    RowSingleValueContainer(reading: reading)
  }
}

/// A type's decoder for rows with certain columns.
@usableFromInline
final class RowDecodingPlan<Record: FetchableRecord & Decodable> {
  @usableFromInline let decoder: RowDecoder

  @usableFromInline
  init() {
    decoder = RowDecoder(
      RowReading(DecodingRules(Record.self), types: [ObjectIdentifier(Record.self)]))
  }

  /// The record that a row holds.
  @inlinable
  func decode(_ row: Row) throws -> Record {
    guard decoder.enter(row) else { return try RowDecodingPlan().decode(row) }
    defer { decoder.leave() }
    return try Record(from: decoder)
  }
}

extension RowDecoder {
  @usableFromInline func enter(_ row: Row) -> Bool { reading.enter(row) }
  @usableFromInline func leave() { reading.leave() }
}

extension FetchableRecord where Self: Decodable {
  /// The record that `init(from:)` decodes from a row.
  ///
  /// - Throws: ``RowDecodingError`` where a column is missing or its value doesn't
  ///   convert, and what `init(from:)` throws.
  @inlinable
  public init(row: Row) throws {
    self = try row.plan(RowDecodingPlan<Self>.self) { RowDecodingPlan() }.decode(row)
  }
}

/// Decodes records from rows.
///
/// For records that have an `init(row:)` of their own, and want `init(from:)` to do
/// most of its work:
///
/// ```swift
/// init(row: Row) throws {
///   self = try FetchableRecordDecoder().decode(Self.self, from: row)
///   isCached = row["isCached"] ?? false
/// }
/// ```
public final class FetchableRecordDecoder {
  /// A decoder.
  public init() {}

  /// The record that `init(from:)` decodes from a row.
  ///
  /// - Throws: ``RowDecodingError`` where a column is missing or its value doesn't
  ///   convert, and what `init(from:)` throws.
  public func decode<T: FetchableRecord & Decodable>(_ type: T.Type, from row: Row) throws -> T {
    try row.plan(RowDecodingPlan<T>.self) { RowDecodingPlan() }.decode(row)
  }
}

/// A decoder belongs to the access that its rows come from.
@available(*, unavailable)
extension FetchableRecordDecoder: Sendable {}

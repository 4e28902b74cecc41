import CFloor
import CSQLCipher
import Foundation

/// Returns the benchmarks of the least that `Codable` takes: of a decoder and an encoder that find
/// no key, check nothing, and call SQLite's C API for one value after another. They show how much
/// of a record's time is that of the standard library's protocols.
func leastCodableBenchmarks(_ fixture: Fixture) -> [Benchmark] {
  let records = RecordFixture(fixture)
  let (floor, rows) = (fixture.floor, fixture.rows)
  let insertSQL = "INSERT INTO target VALUES (?,?,?,?,?,?,?,?,?,?)"
  return [
    Benchmark(
      name: "the least decoder of Codable, 10 integer columns", count: rows, goal: nil,
      floor: { floor_sum_ten(floor, "SELECT * FROM ints") }
    ) {
      var sum: Int64 = 0
      let decoder = LeastDecoder<LeastInts.CodingKeys>()
      records.forEachRow("SELECT * FROM ints") { row in
        decoder.begin(row)
        guard let record = try? LeastInts(from: decoder) else { return }
        sum &+= record.sum
      }
      return sum
    },
    Benchmark(
      name: "the least encoder of Codable, insert of 10 integers", count: rows, goal: nil,
      prepare: { try fixture.queue.write { try $0.execute(sql: "DELETE FROM target") } },
      floor: { Int64(floor_insert_ten(floor, insertSQL, Int64(rows))) }
    ) {
      let encoder = LeastEncoder<LeastInts.CodingKeys>()
      floor_exec(floor, "BEGIN IMMEDIATE")
      defer { floor_exec(floor, "COMMIT") }
      var statement: OpaquePointer?
      let connection = OpaquePointer(floor_connection(floor))
      guard sqlite3_prepare_v2(connection, insertSQL, -1, &statement, nil) == SQLITE_OK,
        let statement
      else { return 1 }
      defer { sqlite3_finalize(statement) }
      for row in 0..<rows {
        let n = row &* 10
        let record = LeastInts(
          i0: Int64(n), i1: n + 1, i2: n + 2, i3: n + 3, i4: n + 4, i5: n + 5, i6: n + 6,
          i7: n + 7, i8: n + 8, i9: n + 9)
        encoder.begin(statement)
        try record.encode(to: encoder)
        guard sqlite3_step(statement) == SQLITE_DONE else { return 1 }
        sqlite3_reset(statement)
      }
      return 0
    },
  ]
}

private struct LeastInts: Codable {
  var i0: Int64, i1: Int, i2: Int, i3: Int, i4: Int, i5: Int, i6: Int, i7: Int, i8: Int, i9: Int

  enum CodingKeys: CodingKey {
    case i0, i1, i2, i3, i4, i5, i6, i7, i8, i9
  }

  var sum: Int64 {
    i0 &+ Int64(i1 &+ i2 &+ i3 &+ i4) &+ Int64(i5 &+ i6 &+ i7 &+ i8 &+ i9)
  }
}

/// The statement of a decoder or an encoder, and the column that comes next.
private struct LeastState {
  var statement: OpaquePointer?
  var column: CInt = 0

  mutating func next() -> CInt {
    defer { column &+= 1 }
    return column
  }
}

private struct NotNeeded: Error {}

// MARK: - Decoding

private final class LeastDecoder<RecordKey: CodingKey>: Decoder {
  private let state = UnsafeMutablePointer<LeastState>.allocate(capacity: 1)
  /// Made once, as it takes allocations.
  private let kept: KeyedDecodingContainer<RecordKey>

  init() {
    state.initialize(to: LeastState())
    kept = KeyedDecodingContainer(LeastDecodingContainer<RecordKey>(state: state))
  }

  deinit { state.deallocate() }

  func begin(_ statement: OpaquePointer) { state.pointee = LeastState(statement: statement) }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    // SAFETY: the decoder is made for the keys of the one type that it decodes.
    unsafeBitCast(kept, to: KeyedDecodingContainer<Key>.self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotNeeded() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotNeeded() }
}

private struct LeastDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let state: UnsafeMutablePointer<LeastState>

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    Int(sqlite3_column_int64(state.pointee.statement, state.pointee.next()))
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    sqlite3_column_int64(state.pointee.statement, state.pointee.next())
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw NotNeeded() }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw NotNeeded() }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw NotNeeded()
  }

  func superDecoder() throws -> any Decoder { throw NotNeeded() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NotNeeded() }
}

// MARK: - Encoding

private final class LeastEncoder<RecordKey: CodingKey>: Encoder {
  private let state = UnsafeMutablePointer<LeastState>.allocate(capacity: 1)
  private let kept: KeyedEncodingContainer<RecordKey>

  init() {
    state.initialize(to: LeastState())
    kept = KeyedEncodingContainer(LeastEncodingContainer<RecordKey>(state: state))
  }

  deinit { state.deallocate() }

  func begin(_ statement: OpaquePointer) {
    state.pointee = LeastState(statement: statement, column: 1)
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    // SAFETY: the encoder is made for the keys of the one type that it encodes.
    unsafeBitCast(kept, to: KeyedEncodingContainer<Key>.self)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("not needed") }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    preconditionFailure("not needed")
  }
}

private struct LeastEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let state: UnsafeMutablePointer<LeastState>

  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) throws {}

  mutating func encode(_ value: Int, forKey key: Key) throws {
    sqlite3_bind_int64(state.pointee.statement, state.pointee.next(), Int64(value))
  }

  mutating func encode(_ value: Int64, forKey key: Key) throws {
    sqlite3_bind_int64(state.pointee.statement, state.pointee.next(), value)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw NotNeeded() }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { preconditionFailure("not needed") }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    preconditionFailure("not needed")
  }

  mutating func superEncoder() -> any Encoder { preconditionFailure("not needed") }
  mutating func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure("not needed") }
}

import CofferCore
import FoundationEssentials
import Synchronization

/// What a record type says about its encoding, with what is known of its columns: what an encoder
/// and its containers share.
final class RecordWriting {
  let record: any EncodableRecord.Type
  let columns: DatabaseColumnEncodingStrategy
  var userInfo: [CodingUserInfoKey: Any] { record.databaseEncodingUserInfo }
  let live: UnsafeMutablePointer<LiveTarget>
  // SAFETY: the encoder clears it when it dies.
  unowned(unsafe) var encoder: RecordEncoder?
  private var columnsByName: [String: EncodedColumn] = [:]
  private var keyTables: [EncodedKeyTable] = []
  /// The columns whose JSON is complete once the record has been encoded.
  @exclusivity(unchecked) private var nodes: [(column: EncodedColumn, node: JSONNode)] = []

  init(_ record: any EncodableRecord.Type) {
    self.record = record
    columns = record.databaseColumnEncodingStrategy
    live = LiveTarget.checkOut()
    live.pointee.writing = .passUnretained(self)
  }

  deinit { LiveTarget.takeBack(live) }

  /// A table for a container's keys, which lives as long as this object.
  func makeKeyTable() -> EncodedKeyTable {
    let table = EncodedKeyTable()
    keyTables.append(table)
    return table
  }

  /// The column of a key.
  func column(_ key: any CodingKey) -> EncodedColumn {
    let name = columns.column(ofKey: key)
    if let column = columnsByName[name] { return column }
    let column = EncodedColumn(name)
    columnsByName[name] = column
    return column
  }

  var hasNodes: Bool { !nodes.isEmpty }

  func writeNodes() throws {
    while !nodes.isEmpty {
      let (column, node) = nodes.removeFirst()
      try node.write(to: column, self)
    }
  }

  func dropNodes() { nodes = [] }

  /// Gives a column its value.
  func set<Value: DatabaseValueConvertible>(_ value: Value, _ column: EncodedColumn) throws {
    guard let container = live.pointee.container else { throw RecordWriting.recordIsGone }
    container.pointee.set(value, forColumn: column.name)
  }

  /// What a column is to hold as JSON, in parts.
  func node(_ column: EncodedColumn) -> JSONNode {
    let node = JSONNode(userInfo: userInfo, codingPath: [StringKey(column.name)])
    nodes.append((column, node))
    return node
  }

  static var recordIsGone: DatabaseError {
    DatabaseError(
      .SQLITE_MISUSE, "the record of this encoder has been stored",
      hint: "Encode inside of encode(to:), and keep neither the encoder nor its containers.")
  }

  func invalid(_ value: Any, _ column: EncodedColumn, _ message: String) -> EncodingError {
    .invalidValue(
      value,
      EncodingError.Context(
        codingPath: [StringKey(column.name)],
        debugDescription: "\(record), column \(String(reflecting: column.name)): \(message)"))
  }
}

/// The part of a writing that is touched for each value; like ``LiveRow``, never freed.
struct LiveTarget {
  /// What is written to; nil between two records.
  var container: UnsafeMutablePointer<PersistenceContainer>?
  /// What the container binds to, and under which use: beside it, since to look into the container
  /// for each value would count references.
  var target: UnsafeMutablePointer<BindingTarget>?
  var use: UInt = 0
  var generation: UInt32 = 0
  var writing: Unmanaged<RecordWriting>?

  // SAFETY: memory that nobody uses, touched under the lock alone.
  private struct Pool: @unchecked Sendable {
    var free: [UnsafeMutablePointer<LiveTarget>] = []
  }

  private static let pool = Mutex(Pool())

  static func checkOut() -> UnsafeMutablePointer<LiveTarget> {
    if let live = pool.withLock({ $0.free.popLast() }) { return live }
    let live = UnsafeMutablePointer<LiveTarget>.allocate(capacity: 1)
    live.initialize(to: LiveTarget())
    return live
  }

  static func takeBack(_ live: UnsafeMutablePointer<LiveTarget>) {
    live.pointee = LiveTarget(generation: live.pointee.generation &+ 1)
    let returned = Pool(free: [live])
    pool.withLock { $0.free += returned.free }
  }
}

/// A column that a record type stores.
final class EncodedColumn {
  let name: String
  private var writerType: ObjectIdentifier?
  private var writer: AnyObject?

  init(_ name: String) { self.name = name }

  /// Writes values of the type to the column.
  func writer<T: Encodable>(_ type: T.Type, _ writing: RecordWriting) -> ColumnWriter<T> {
    if writerType == ObjectIdentifier(type), let writer {
      // SAFETY: made below, for that type.
      return unsafeDowncast(writer, to: ColumnWriter<T>.self)
    }
    let made = ColumnWriters.writer(type, column: name, writing.record)
    writer = made
    writerType = ObjectIdentifier(type)
    return made
  }
}

/// The columns of coding keys of one byte.
final class EncodedKeyTable {
  /// The words of the columns' names, by the key's byte; those of no string where they are not
  /// known.
  struct Words {
    var start: UnsafeMutablePointer<TextWords>
    var count: Int
  }

  let words: UnsafeMutablePointer<Words>
  /// Keeps the storage that the words may point to.
  private var columns: [EncodedColumn?] = []

  init() {
    words = .allocate(capacity: 1)
    words.initialize(to: Words(start: .allocate(capacity: 0), count: 0))
  }

  deinit {
    words.pointee.start.deallocate()
    words.deallocate()
  }

  func column(_ byte: Int) -> EncodedColumn? { byte < columns.count ? columns[byte] : nil }

  func setColumn(_ column: EncodedColumn, _ byte: Int) {
    while columns.count <= byte { columns.append(nil) }
    columns[byte] = column
    if byte >= words.pointee.count { grow() }
    // The column keeps them.
    words.pointee.start[byte] = TextWords(column.name)
  }

  private func grow() {
    let count = columns.count <= 16 ? 16 : 256
    let grown = UnsafeMutablePointer<TextWords>.allocate(capacity: count)
    // No slot has these: neither a string nor the end of a target.
    grown.initialize(repeating: .never, count: count)
    grown.update(from: words.pointee.start, count: words.pointee.count)
    words.pointee.start.deallocate()
    words.pointee = Words(start: grown, count: count)
  }
}

import CofferCore
import FoundationEssentials

/// The encoding strategies and columns of a record type, shared by an encoder and its containers.
@safe final class RecordWriting {
  let record: any EncodableRecord.Type
  let columns: DatabaseColumnEncodingStrategy
  var userInfo: [CodingUserInfoKey: Any] { record.databaseEncodingUserInfo }
  @safe let live: UnsafeMutablePointer<LiveTarget>
  // SAFETY: the encoder clears it when it is deallocated.
  @safe unowned(unsafe) var encoder: RecordEncoder?
  private var columnsByName: [String: EncodedColumn] = [:]
  private var keyTables: [KeyTable<EncodedColumn, TextWords>] = []
  /// The columns whose JSON is complete once the record has been encoded.
  @safe @exclusivity(unchecked) private var nodes: [(column: EncodedColumn, node: JSONNode)] = []

  init(_ record: any EncodableRecord.Type) {
    self.record = record
    columns = record.databaseColumnEncodingStrategy
    live = LiveTarget.pool.take()
    live.pointee.writing = unsafe .passUnretained(self)
  }

  deinit { LiveTarget.pool.putBack(live) }

  /// Creates a table for a container's keys, which exists as long as this object.
  func makeKeyTable() -> KeyTable<EncodedColumn, TextWords> {
    let table = KeyTable<EncodedColumn, TextWords>(unknown: .unknown)
    keyTables.append(table)
    return table
  }

  /// Returns the column of a key.
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

  /// Sets the value of a column.
  func set<Value: DatabaseValueConvertible>(_ value: Value, _ column: EncodedColumn) throws {
    guard let container = live.pointee.container else { throw RecordWriting.recordIsGone }
    unsafe container.pointee.set(value, forColumn: column.name)
  }

  /// Returns a node that records the JSON of a column.
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

/// The part of a writing that is accessed for each value: see ``CellPool``.
@safe struct LiveTarget {
  /// The container to write to; nil between two records.
  @safe var container: UnsafeMutablePointer<PersistenceContainer>?
  /// The target of the container.
  ///
  /// The target and its use are copied here, since reading them from the container for each value
  /// would count references.
  @safe var target: UnsafeMutablePointer<BindingTarget>?
  var use: UInt = 0
  var generation: UInt32 = 0
  @safe var writing: Unmanaged<RecordWriting>?

  static let pool = CellPool<LiveTarget>()
}

extension LiveTarget: ReusableCell {
  mutating func reset() { self = unsafe LiveTarget(generation: generation &+ 1) }
}

/// A column that a record type stores.
final class EncodedColumn {
  let name: String
  private var writer: KeptObject?

  init(_ name: String) { self.name = name }

  /// Returns the writer of a type's values to the column.
  func writer<T: Encodable>(_ type: T.Type, _ writing: RecordWriting) -> ColumnWriter<T> {
    if let writer: ColumnWriter<T> = writer?.get() { return writer }
    let made = ColumnWriters.writer(type, column: name, writing.record)
    writer = KeptObject(made)
    return made
  }
}

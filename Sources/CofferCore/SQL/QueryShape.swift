import CofferVault
import Glibc

/// The structure of a query without its values: two queries of equal shape have the same SQL.
///
/// A request describes itself to a shape instead of rendering, which takes a fraction of the time.
/// The shape is a sequence of bytes that can be read back in only one way: each part begins with
/// its ``Tag``, lists and texts with their length. It contains all names, literals and limits that
/// are part of the SQL, but no value that is bound to a parameter. Those are collected in
/// ``arguments``, in the order of the parameters.
///
/// Parts that can render differently from time to time, such as closures, give up instead.
@usableFromInline
@safe package struct QueryShape {
  /// The kind of a part.
  @usableFromInline
  package enum Tag: UInt8 {
    case value, null, argument, list, text, node
    case column, detached, key, prefix, not, binary, chain, comparison, between, membership
    case emptyMembership, match, collated, function, aggregate, cast, conditional, tuple
    case expressions, array, table
    case allColumns, checkedColumn, path
    case selectedExpression, ordering
    case request, document
  }

  /// The memory for the bytes of a shape.
  @safe final class Memory {
    @safe let start = UnsafeMutablePointer<UInt8>.allocate(capacity: QueryShape.capacity)

    deinit { unsafe start.deallocate() }
  }

  /// A longer shape isn't worth comparing and keeping.
  @inlinable static var capacity: Int { 2048 }

  fileprivate let memory: Memory
  /// The address of `memory`.
  @safe @usableFromInline let start: UnsafeMutablePointer<UInt8>
  @usableFromInline var count = 0
  /// The values of the parameters, in order.
  package private(set) var arguments: [StatementArgument] = []
  @usableFromInline var hasGivenUp = false

  /// Whether the SQL depends on nothing but the shape and the schema, and the shape is worth
  /// keeping.
  package var isComplete: Bool { !hasGivenUp }

  /// The structure so far.
  @safe fileprivate var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start, count: count)
  }

  fileprivate init(_ memory: Memory) {
    self.memory = memory
    start = memory.start
  }

  /// Marks the query as one that always has to be rendered.
  package mutating func giveUp() { hasGivenUp = true }

  // MARK: Structure

  /// Appends a choice of the part that has been begun.
  @inlinable @inline(__always)
  package mutating func append(choice: UInt8) {
    guard count < QueryShape.capacity else { return hasGivenUp = true }
    start[count] = choice
    count &+= 1
  }

  /// Appends the beginning of a part.
  @inlinable @inline(__always)
  package mutating func append(_ tag: Tag) { append(choice: tag.rawValue) }

  /// Appends a choice of the part that has been begun.
  @inlinable @inline(__always)
  package mutating func append(_ choice: Bool) { append(choice: choice ? 1 : 0) }

  /// Appends the number of parts that follow, or another number that is part of the SQL.
  @inlinable
  package mutating func append(count: Int) {
    if count >= 0, count < 255 { return append(choice: UInt8(truncatingIfNeeded: count)) }
    append(largeCount: count)
  }

  @usableFromInline
  mutating func append(largeCount count: Int) {
    append(choice: 255)
    var rest = UInt64(bitPattern: Int64(count))
    for _ in 0..<8 {
      append(choice: UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Appends a text that is part of the SQL.
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      append(count: utf8.count)
      guard utf8.count <= QueryShape.capacity &- count else { return giveUp() }
      guard let text = utf8.baseAddress else { return }
      // SAFETY: there is room for the text, since `count` is at most the capacity.
      unsafe (start + count).update(from: text, count: utf8.count)
      count &+= utf8.count
    }
  }

  // MARK: Values

  /// Appends a parameter for a value, or `NULL`, which is written out.
  package mutating func append(_ value: DatabaseValue) {
    if value.isNull { return append(Tag.null) }
    append(.value)
    arguments.append(StatementArgument(value))
  }

  /// Appends a parameter.
  package mutating func append(_ argument: StatementArgument) {
    append(.argument)
    arguments.append(argument)
  }

  /// Appends the values of a list that is written out, each with a parameter.
  package mutating func append(writtenOut list: ArrayArgument) {
    append(count: list.count)
    for value in list.storage.values { arguments.append(StatementArgument(value)) }
  }

  /// Appends a list that is a single argument.
  package mutating func append(argument list: ArrayArgument) {
    arguments.append(StatementArgument(list))
  }

  // MARK: Parts

  /// Appends an expression.
  package mutating func append(_ expression: SQLExpression) {
    switch expression.content {
    case .value(let value): append(value)
    case .sql(let sql): append(sql)
    case .node(let node): append(node)
    }
  }

  /// Appends an expression, if there is one.
  package mutating func append(_ expression: SQLExpression?) {
    guard let expression else { return append(false) }
    append(true)
    append(expression)
  }

  /// Appends a list of expressions.
  package mutating func append(_ expressions: [SQLExpression]) {
    append(count: expressions.count)
    // A span's elements aren't copied.
    let expressions = expressions.span
    for index in expressions.indices { append(expressions[index]) }
  }

  /// Appends SQL.
  package mutating func append(_ sql: SQL) {
    append(.expressions)
    append(count: sql.elements.count)
    for element in sql.elements {
      switch element {
      case .sql(let text, let new):
        append(.text)
        append(text)
        if !new.isEmpty { append(new) }
      case .argument(let argument): append(argument)
      case .list(let list):
        // The text before it decides whether a longer list is written out.
        guard list.count <= SQLRenderer.longestWrittenList else { return giveUp() }
        append(.list)
        append(writtenOut: list)
      case .node(let node): append(node)
      }
    }
  }

  /// Appends the arguments of the parameters in a text, which has been appended.
  private mutating func append(_ new: StatementArguments) {
    guard new.named.isEmpty else { return giveUp() }
    arguments.append(contentsOf: new.positional)
  }

  /// Appends a list of selections.
  package mutating func append(_ selections: [SQLSelection]) {
    append(count: selections.count)
    let selections = selections.span
    for index in selections.indices { append(selections[index]) }
  }

  /// Appends a selection.
  package mutating func append(_ selection: SQLSelection) {
    switch selection.content {
    case .expression(let expression, let name):
      append(.selectedExpression)
      append(expression)
      append(name != nil)
      if let name { append(name) }
    case .sql(let sql): append(sql)
    case .node(let node): append(node)
    }
  }

  /// Appends a fragment.
  package mutating func append(_ node: any SQLNodeObject) {
    // Deeper parts of a query that always has to be rendered aren't needed.
    guard isComplete else { return }
    append(.node)
    node.describe(in: &self)
  }
}

/// The SQL that a connection has rendered, by the shapes of the queries.
///
/// - Invariant: It holds no values. SQL that depends on the schema has the schema's stamp.
package final class QueryShapes {
  /// Rendered SQL.
  package struct Entry {
    /// The SQL, the same `String` each time, so that its statement is found by its two words.
    package let sql: String
    /// The revision of the schema cache for which the SQL was rendered.
    package let schemaRevision: Int
    /// The number of schemas, in the order of lookups, on which the SQL depends; 0 if on none.
    package let schemaCount: Int

    package init(sql: String, schemaRevision: Int, schemaCount: Int) {
      self.sql = sql
      self.schemaRevision = schemaRevision
      self.schemaCount = schemaCount
    }
  }

  struct Known {
    let bytes: [UInt8]
    let entry: Entry
  }

  /// The maximum number of shapes; a program has as many as places that build a request.
  static let capacity = 500

  @safe @exclusivity(unchecked) var known: [UInt64: Known] = [:]
  /// The memory of the last shape; nil while a shape uses it.
  @safe @exclusivity(unchecked) private var memory: QueryShape.Memory?

  /// Creates an empty cache.
  package init() {}

  /// Returns an empty shape.
  package func makeShape() -> QueryShape { QueryShape(memory.take() ?? QueryShape.Memory()) }

  /// Takes the memory of a shape back, which isn't used any more.
  package func takeBack(_ shape: borrowing QueryShape) { memory = shape.memory }

  /// Returns the SQL of a shape; nil if it isn't known.
  package func entry(for shape: borrowing QueryShape) -> Entry? {
    let bytes = shape.bytes
    guard let known = unsafe known[bytes.wordHash], known.bytes.count == bytes.count,
      unsafe memcmp(known.bytes, shape.start, bytes.count) == 0  // SAFETY: both have as many bytes.
    else { return nil }
    return known.entry
  }

  /// Keeps the SQL of a shape.
  package func insert(_ entry: Entry, for shape: borrowing QueryShape) {
    if known.count >= QueryShapes.capacity { known.removeAll() }
    unsafe known[shape.bytes.wordHash] = Known(bytes: Array(shape.bytes), entry: entry)
  }

  /// Forgets all shapes.
  func removeAll() { known = [:] }
}

/// It is confined to its connection.
@available(*, unavailable)
extension QueryShapes: Sendable {}

extension UnsafeRawBufferPointer {
  /// A hash of the bytes: FNV-1a over words of eight bytes, mixed at the end.
  var wordHash: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(count)
    var offset = 0
    while offset + 8 <= count {
      hash =
        unsafe (hash ^ loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        &* 0x0000_0100_0000_01b3
      hash ^= hash >> 32
      offset += 8
    }
    while offset < count {
      hash = unsafe (hash ^ UInt64(self[offset])) &* 0x0000_0100_0000_01b3
      offset += 1
    }
    hash ^= hash >> 29
    return hash
  }
}

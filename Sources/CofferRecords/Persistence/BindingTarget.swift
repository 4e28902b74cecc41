import CofferCore

/// The target of a ``PersistenceContainer``: a statement, and columns in the order of binding.
///
/// A column is recognized by the two words of its name, as in ``ColumnPredictor``. If a record sets
/// other columns, or sets them in another order, ``next`` moves past the end.
///
/// Encoding a record accesses no other memory. A container that outlives its encoding no longer
/// matches ``use``: see ``CellPool``.
@usableFromInline
@safe struct BindingTarget {
  /// A column, identified by the words of its name.
  @usableFromInline
  struct Slot {
    @usableFromInline var words: TextWords
    /// The parameter for the value, 1-based; 0 if the value isn't bound.
    @usableFromInline var parameter: CInt
    /// The distance of the parameter's value from the first, in bytes; -1 if there is none.
    @usableFromInline var offset: CInt
  }

  @safe @usableFromInline private(set) var handle: SQLiteStatement?
  @usableFromInline let layout = ParameterLayout.linked
  /// Where the statement has the value of its first parameter, while a record is encoded.
  ///
  /// Nil if numbers can't be stored. The statement isn't stepped meanwhile.
  @safe @usableFromInline private(set) var first: UnsafeMutableRawPointer?
  /// The last of the statement's parameters that a column is bound to; 0 if there is none.
  private var lastParameter = 0
  /// The columns, followed by two slots that match no name: the end, and the slot past it.
  @safe @usableFromInline var slots: UnsafeMutablePointer<Slot>
  @usableFromInline var count: Int
  /// The next slot.
  @safe @usableFromInline var next: UnsafeMutablePointer<Slot>
  /// The identifier of the current encoding.
  ///
  /// Containers of other encodings, such as copies that were kept, are rejected.
  @usableFromInline var use: UInt = 0
  /// The error code of the first binding that failed, or success.
  @usableFromInline var code: CInt = SQLite.ok
  /// Whether records of the type can be bound while they are encoded.
  ///
  /// False once a record has read values that it has set, or a caller has requested stored values.
  var canBind = true
  /// Whether the statement is in use: its execution can call back and insert another record.
  var isBusy = false
  /// The plan; nil once it has been released.
  @safe var plan: Unmanaged<RecordPlan>?
  /// The number of plans that have used this memory.
  @usableFromInline var owner: UInt = 0
  /// The column names, which own the string storage that the words can point to.
  private var columns: [String] = []
  /// A values object that the next success reuses.
  @usableFromInline var spare: StoredValues?

  init() {
    slots = .allocate(capacity: 2)
    next = slots
    count = 0
  }

  /// The slot that `next` moves to when a record deviates from the plan.
  @safe @usableFromInline var nowhere: UnsafeMutablePointer<Slot> { unsafe slots + count + 1 }

  /// Whether every column has been set, in order.
  var isComplete: Bool { unsafe next == slots + count }

  /// Begins with a record, whose values are bound to the statement.
  @inline(__always)
  @safe mutating func begin(_ handle: SQLiteStatement) {
    self.handle = unsafe handle
    first = layout.first(of: handle, upTo: lastParameter)
    next = slots
    code = SQLite.ok
    use &+= 1
    isBusy = true
  }

  /// Ends with the values of a record, and invalidates copies of its container.
  ///
  /// The statement can then be executed, which can move its parameters.
  @inline(__always)
  mutating func endBinding() {
    use &+= 1
    handle = nil
    first = nil
  }

  /// Ends with a record.
  @inline(__always)
  mutating func end() {
    endBinding()
    isBusy = false
  }

  /// Binds the value of a column, if it is the next column and its name has these words.
  @inline(__always)
  @safe static func bind<Value: DatabaseValueConvertible>(
    _ value: Value?, to target: UnsafeMutablePointer<BindingTarget>, _ use: UInt,
    forColumnWith words: TextWords
  ) -> Bool {
    let slot = unsafe target.pointee.next
    guard unsafe target.pointee.use == use, unsafe slot.pointee.words == words else { return false }
    unsafe target.pointee.next = unsafe slot + 1
    if unsafe !target.pointee.store(value, in: slot) { unsafe target.pointee.bind(value, to: slot) }
    return true
  }

  /// Stores the value of a column in its place, if that can be done without a call.
  @inlinable @inline(__always)
  @safe func store<Value>(_ value: Value?, in slot: UnsafeMutablePointer<Slot>) -> Bool {
    guard let value, let first, unsafe slot.pointee.offset >= 0 else { return false }
    // SAFETY: `begin` has found the parameters of all slots behind `first`.
    return unsafe layout.store(value, at: first + Int(slot.pointee.offset))
  }

  /// Binds the value of a column, or NULL, and keeps the error.
  ///
  /// It isn't inlined, so that what stores numbers has no registers to save for the calls in it.
  @inlinable @inline(never)
  @safe mutating func bind<Value: DatabaseValueConvertible>(
    _ value: Value?, to slot: UnsafeMutablePointer<Slot>
  ) {
    guard let handle, unsafe slot.pointee.parameter > 0 else { return }
    let code = layout.bind(value, to: handle, at: unsafe slot.pointee.parameter)
    if code != SQLite.ok, self.code == SQLite.ok { self.code = code }
  }

  /// Returns the slot of the next column; nil if its value isn't bound.
  @inlinable @inline(__always)
  @safe mutating func nextSlot(_ column: String, _ use: UInt) -> UnsafeMutablePointer<Slot>? {
    let slot = next
    guard use == self.use, unsafe slot.pointee.words == TextWords(column) else {
      return findSlot(column, use)
    }
    next = unsafe slot + 1
    return unsafe slot
  }

  /// Returns the slot of the next column if its text is equal, but its words differ.
  @usableFromInline @inline(never)
  @safe mutating func findSlot(_ column: String, _ use: UInt) -> UnsafeMutablePointer<Slot>? {
    guard use == self.use else { return nil }
    let index = unsafe next - slots
    guard index < count, columns[index].utf8.elementsEqual(column.utf8) else {
      next = nowhere
      return nil
    }
    next.pointee.words = TextWords(column)
    columns[index] = column
    unsafe next += 1
    return unsafe slots + index
  }
}

extension BindingTarget: ReusableCell {
  private static let pool = CellPool<BindingTarget>()

  /// Takes a target from the pool, for a plan.
  @safe static func take(
    _ columns: [(name: String, parameter: Int)]
  ) -> UnsafeMutablePointer<BindingTarget> {
    let target = pool.take()
    unsafe target.pointee.setColumns(columns)
    return unsafe target
  }

  @safe static func putBack(_ target: UnsafeMutablePointer<BindingTarget>) { pool.putBack(target) }

  private mutating func setColumns(_ columns: [(name: String, parameter: Int)]) {
    unsafe slots.deallocate()
    count = columns.count
    self.columns = columns.map(\.name)
    slots = .allocate(capacity: count + 2)
    for (index, column) in columns.enumerated() {
      let offset = column.parameter > 0 ? (column.parameter - 1) * layout.stride : -1
      unsafe (slots + index).initialize(
        to: Slot(
          words: TextWords(self.columns[index]), parameter: CInt(column.parameter),
          offset: CInt(offset)))
    }
    lastParameter = columns.map(\.parameter).max() ?? 0
    unsafe (slots + count).initialize(
      repeating: Slot(words: .none, parameter: 0, offset: -1), count: 2)
    next = slots
  }

  mutating func reset() {
    end()
    owner &+= 1
    plan = nil
    spare = nil
    canBind = true
    setColumns([])
  }
}

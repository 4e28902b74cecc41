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
  }

  @safe @usableFromInline var handle: SQLiteStatement?
  @usableFromInline let layout = ParameterLayout.linked
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

  /// Binds the value of a column, if it is the next column and its name has these words.
  @inline(__always)
  @safe static func bind<Value: DatabaseValueConvertible>(
    _ value: Value?, to target: UnsafeMutablePointer<BindingTarget>, _ use: UInt,
    forColumnWith words: TextWords
  ) -> Bool {
    let slot = unsafe target.pointee.next
    guard unsafe target.pointee.use == use, unsafe slot.pointee.words == words,
      let handle = unsafe target.pointee.handle
    else { return false }
    unsafe target.pointee.next = unsafe slot + 1
    guard unsafe slot.pointee.parameter > 0 else { return true }
    let code = unsafe target.pointee.layout.bind(
      value, to: handle, at: slot.pointee.parameter)
    if code != SQLite.ok, unsafe target.pointee.code == SQLite.ok {
      unsafe target.pointee.code = code
    }
    return true
  }

  /// Returns the parameter of the next column; 0 if its value isn't bound.
  @inlinable @inline(__always)
  mutating func nextParameter(_ column: String, _ use: UInt) -> CInt {
    let slot = next
    guard use == self.use, unsafe slot.pointee.words == TextWords(column) else {
      return findParameter(column, use)
    }
    next = unsafe slot + 1
    return unsafe slot.pointee.parameter
  }

  /// Returns the parameter of the next column if its text is equal, but its words differ.
  @usableFromInline @inline(never)
  mutating func findParameter(_ column: String, _ use: UInt) -> CInt {
    guard use == self.use else { return 0 }
    let index = unsafe next - slots
    guard index < count, columns[index].utf8.elementsEqual(column.utf8) else {
      next = nowhere
      return 0
    }
    next.pointee.words = TextWords(column)
    columns[index] = column
    unsafe next += 1
    return slots[index].parameter
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
      let words = TextWords(self.columns[index])
      unsafe (slots + index).initialize(to: Slot(words: words, parameter: CInt(column.parameter)))
    }
    unsafe (slots + count).initialize(repeating: Slot(words: .none, parameter: 0), count: 2)
    next = slots
  }

  mutating func reset() {
    use &+= 1
    owner &+= 1
    handle = nil
    plan = nil
    spare = nil
    (canBind, isBusy) = (true, false)
    setColumns([])
  }
}

import CofferCore
import Synchronization

/// What a ``PersistenceContainer`` binds to: a statement, and the columns whose values it takes,
/// in the order in which a record sets them.
///
/// A column is recognised by the two words of its name, as ``ColumnPredictor`` does. A record that
/// sets other columns, or in another order, makes ``next`` point behind everything.
///
/// It is what is touched for each record, so that nothing counts references. The memory is used
/// again but never freed: containers that outlive what they were made for find another ``use``.
@usableFromInline
struct BindingTarget {
  /// A column, known by its name's words.
  @usableFromInline
  struct Slot {
    @usableFromInline var words: TextWords
    /// The parameter that takes the value, 1-based; 0 for none.
    @usableFromInline var parameter: CInt
  }

  @usableFromInline var handle: SQLiteStatement?
  /// The columns, and two slots that no name fits: the end, and what is behind everything.
  @usableFromInline var slots: UnsafeMutablePointer<Slot>
  @usableFromInline var count: Int
  /// The next slot.
  @usableFromInline var next: UnsafeMutablePointer<Slot>
  /// Which encoding the target is for: containers of another one, copies that somebody has kept,
  /// are refused.
  @usableFromInline var use: UInt = 0
  /// The first failure of SQLite, or success.
  @usableFromInline var code: CInt = SQLite.ok
  /// Whether records of the type can be bound as they are encoded: not where one reads what it
  /// has set, or is asked for what it has stored.
  var canBind = true
  /// Whether the statement is in use: its execution may call back, and insert another record.
  var isBusy = false
  /// The plan; nil once it has died.
  var plan: Unmanaged<RecordPlan>?
  /// Counts the plans that have used the memory.
  @usableFromInline var owner: UInt = 0
  /// Keeps the storage that the words may point to.
  private var columns: [String] = []
  /// What successes hold, to be used again.
  @usableFromInline var spare: StoredValues?

  private init() {
    slots = .allocate(capacity: 2)
    next = slots
    count = 0
  }

  /// The slot that stands for all that a record does otherwise than expected.
  @usableFromInline var nowhere: UnsafeMutablePointer<Slot> { slots + count + 1 }

  /// Whether each column has been set, in order.
  var isComplete: Bool { next == slots + count }

  /// Binds the value of a column, if it is the next one, and its name has these words.
  @inline(__always)
  static func bind<Value: DatabaseValueConvertible>(
    _ value: Value, to target: UnsafeMutablePointer<BindingTarget>, _ use: UInt,
    forColumnWith words: TextWords
  ) -> Bool {
    let slot = target.pointee.next
    guard target.pointee.use == use, slot.pointee.words == words,
      let handle = target.pointee.handle
    else { return false }
    target.pointee.next = slot + 1
    guard slot.pointee.parameter > 0 else { return true }
    let code = value.bind(to: handle, at: slot.pointee.parameter)
    if code != SQLite.ok { target.pointee.code = code }
    return true
  }

  /// The parameter for the next column; 0 where its value is not wanted.
  @inlinable @inline(__always)
  mutating func nextParameter(_ column: String, _ use: UInt) -> CInt {
    let words = TextWords(column)
    let slot = next
    guard use == self.use, slot.pointee.words == words else { return findParameter(column, use) }
    next = slot + 1
    return slot.pointee.parameter
  }

  /// The same, where the words differ: the text may be the same.
  @usableFromInline @inline(never)
  mutating func findParameter(_ column: String, _ use: UInt) -> CInt {
    guard use == self.use else { return 0 }
    let index = next - slots
    guard index < count, columns[index].utf8.elementsEqual(column.utf8) else {
      next = nowhere
      return 0
    }
    next.pointee.words = TextWords(column)
    columns[index] = column
    next += 1
    return slots[index].parameter
  }
}

extension BindingTarget {
  // SAFETY: memory that nobody uses, touched under the lock alone.
  private struct Pool: @unchecked Sendable {
    var free: [UnsafeMutablePointer<BindingTarget>] = []
  }

  private static let pool = Mutex(Pool())

  /// A target for a plan.
  static func checkOut(
    _ columns: [(name: String, parameter: Int)]
  ) -> UnsafeMutablePointer<BindingTarget> {
    let target =
      pool.withLock { $0.free.popLast() }
      ?? {
        let target = UnsafeMutablePointer<BindingTarget>.allocate(capacity: 1)
        target.initialize(to: BindingTarget())
        return target
      }()
    target.pointee.setColumns(columns)
    return target
  }

  /// Gives the memory back, and with it another use and owner.
  static func takeBack(_ target: UnsafeMutablePointer<BindingTarget>) {
    target.pointee.clear()
    let returned = Pool(free: [target])
    pool.withLock { $0.free += returned.free }
  }

  private mutating func setColumns(_ columns: [(name: String, parameter: Int)]) {
    slots.deallocate()
    count = columns.count
    self.columns = columns.map(\.name)
    slots = .allocate(capacity: count + 2)
    for (index, column) in columns.enumerated() {
      let words = TextWords(self.columns[index])
      (slots + index).initialize(to: Slot(words: words, parameter: CInt(column.parameter)))
    }
    (slots + count).initialize(repeating: Slot(words: .none, parameter: 0), count: 2)
    next = slots
  }

  private mutating func clear() {
    use &+= 1
    owner &+= 1
    handle = nil
    plan = nil
    spare = nil
    (canBind, isBusy) = (true, false)
    setColumns([])
  }
}

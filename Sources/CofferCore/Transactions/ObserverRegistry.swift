/// The observers of one connection, by what they are to be asked and told.
///
/// Selective observers are kept by table: neither a statement on other tables
/// nor the end of a transaction that touched none of theirs comes across them.
struct ObserverRegistry {
  /// The selective observers of one table, as long as there are any.
  final class Table {
    /// Counts up when one of them comes, goes, or changes its mind; of those who observe rows,
    /// when the first one comes and the last one goes.
    fileprivate(set) var generation = 0
    /// Those who observe all rows.
    fileprivate(set) var list = RegistrationList()
    /// Those who observe some rows.
    fileprivate(set) var rowObservers = RegistrationList()
    private var byRow: [Int64: RegistrationList] = [:]

    fileprivate var isEmpty: Bool { list.isEmpty && rowObservers.isEmpty }

    /// Those who observe a row, but for those who observe all.
    func observers(ofRow rowID: Int64) -> [ObserverRegistration] { byRow[rowID]?.items ?? [] }

    fileprivate func insert(_ registration: ObserverRegistration, rows: Set<Int64>?) {
      guard let rows else {
        generation &+= 1
        return list.insert(registration)
      }
      if rowObservers.isEmpty { generation &+= 1 }
      rowObservers.insert(registration)
      for row in rows { byRow[row, default: RegistrationList()].insert(registration) }
    }

    fileprivate func remove(_ registration: ObserverRegistration, rows: Set<Int64>?) {
      guard let rows else {
        generation &+= 1
        return list.remove(registration)
      }
      rowObservers.remove(registration)
      if rowObservers.isEmpty { generation &+= 1 }
      for row in rows {
        byRow[row]?.remove(registration)
        if byRow[row]?.isEmpty == true { byRow[row] = nil }
      }
    }
  }

  /// The most rows by which an observer is kept: one of more is asked about all events of the
  /// table.
  private static let mostRows = 100

  /// What an answer about some tables depends on.
  struct Stamp {
    /// All changes of the registry, so that one comparison tells mostly.
    fileprivate var generation: Int
    /// Those of the observers that are asked about all tables.
    fileprivate let anyTableGeneration: Int
    /// Tables of which somebody is the first observer.
    fileprivate let newTablesGeneration: Int
    fileprivate let tables: [(table: Table, generation: Int)]
    fileprivate let hasUnobservedTables: Bool
  }

  /// All, in the order in which they came.
  private(set) var all = RegistrationList()
  /// Those who are told of the end of every transaction.
  private(set) var unselective = RegistrationList()
  /// Those who are asked about every table.
  private(set) var anyTable = RegistrationList()
  /// Those whose extent is the next transaction.
  private(set) var nextTransaction = RegistrationList()
  private var tables: [SQLName: Table] = [:]
  private var byObserver: [ObjectIdentifier: [ObserverRegistration]] = [:]

  /// How many observers were ever added.
  private(set) var addedCount = 0
  private var generation = 0
  private var anyTableGeneration = 0
  private var newTablesGeneration = 0
  private var sweepIndex = 0

  var isEmpty: Bool { all.isEmpty }

  // MARK: Coming and going

  /// - Complexity: O(1) in the number of observers.
  mutating func add(
    _ observer: any TransactionObserver, extent: Database.TransactionObservationExtent
  ) {
    let registration = ObserverRegistration(observer, extent: extent, sequence: addedCount)
    addedCount += 1
    all.insert(registration)
    byObserver[registration.identifier, default: []].append(registration)
    if !registration.isSelective { unselective.insert(registration) }
    if extent == .nextTransaction { nextTransaction.insert(registration) }
    guard !registration.isTransactionEnd else { return }
    index(registration, of: observer as? any SelectiveTransactionObserver)
  }

  /// Forgets a registration.
  mutating func remove(_ registration: ObserverRegistration) {
    all.remove(registration)
    unselective.remove(registration)
    nextTransaction.remove(registration)
    unindex(registration)
    byObserver[registration.identifier]?.removeAll { $0 === registration }
    if byObserver[registration.identifier]?.isEmpty == true {
      byObserver[registration.identifier] = nil
    }
  }

  /// The registrations of an observer.
  func registrations(of observer: any TransactionObserver) -> [ObserverRegistration] {
    // The address may be that of one that has died.
    (byObserver[ObjectIdentifier(observer)] ?? []).filter { $0.observer === observer }
  }

  /// The next registrations in turn whose observers have died: looking at a few
  /// of them now and then finds all in the end.
  mutating func nextDead() -> [ObserverRegistration] {
    var dead: [ObserverRegistration] = []
    for _ in 0..<min(4, all.items.count) {
      if sweepIndex >= all.items.count { sweepIndex = 0 }
      let registration = all.items[sweepIndex]
      if registration.observer == nil { dead.append(registration) }
      sweepIndex += 1
    }
    return dead
  }

  // MARK: Changes of mind

  /// An observer would answer otherwise now.
  ///
  /// - Complexity: O(*t*) in its tables, before and now.
  mutating func interestsDidChange(of observer: any TransactionObserver) {
    let selective = observer as? any SelectiveTransactionObserver
    for registration in registrations(of: observer) where !registration.isTransactionEnd {
      unindex(registration)
      index(registration, of: selective)
    }
  }

  /// Any observers may answer otherwise now.
  ///
  /// - Complexity: O(*n*) in all observers.
  mutating func interestsDidChange() {
    for registration in all.items {
      if let observer = registration.observer { interestsDidChange(of: observer) }
    }
  }

  private mutating func index(
    _ registration: ObserverRegistration, of observer: (any SelectiveTransactionObserver)?
  ) {
    registration.tables = observer?.observedTables.map { Set($0.map { SQLName($0) }) }
    registration.rows = [:]
    for (table, rows) in observer?.observedRows ?? [:] where rows.count <= Self.mostRows {
      registration.rows[SQLName(table)] = rows
    }
    generation &+= 1
    guard let names = registration.tables else {
      anyTableGeneration &+= 1
      return anyTable.insert(registration)
    }
    for name in names {
      let table: Table
      if let known = tables[name] {
        table = known
      } else {
        newTablesGeneration &+= 1
        table = Table()
        tables[name] = table
      }
      table.insert(registration, rows: registration.rows[name])
    }
  }

  private mutating func unindex(_ registration: ObserverRegistration) {
    guard !registration.isTransactionEnd else { return }
    generation &+= 1
    guard let names = registration.tables else {
      anyTableGeneration &+= 1
      return anyTable.remove(registration)
    }
    for name in names {
      guard let table = tables[name] else { continue }
      table.remove(registration, rows: registration.rows[name])
      if table.isEmpty { tables[name] = nil }
    }
  }

  // MARK: Questions

  /// A table of which somebody observes single rows.
  func rowTable(_ name: String) -> Table? {
    guard let table = tables[SQLName(name)], !table.rowObservers.isEmpty else { return nil }
    return table
  }

  /// Those who may be interested in changes of these tables, those included who observe single
  /// rows, in order.
  func allInterested(inTables names: [String]) -> [ObserverRegistration] {
    var result = RegistrationList()
    for registration in interested(inTables: names).registrations { result.insert(registration) }
    for name in names {
      guard let table = rowTable(name) else { continue }
      for registration in table.rowObservers.items { result.insert(registration) }
    }
    return result.items
  }

  /// Those who may be interested in changes of any rows of these tables, in order.
  ///
  /// - Returns: Them, and what that answer depends on.
  func interested(inTables names: [String]) -> (registrations: [ObserverRegistration], Stamp) {
    var found: [(table: Table, generation: Int)] = []
    var hasUnobservedTables = false
    for name in names {
      guard let table = tables[SQLName(name)] else {
        hasUnobservedTables = true
        continue
      }
      if !found.contains(where: { $0.table === table }) { found.append((table, table.generation)) }
    }
    let stamp = Stamp(
      generation: generation, anyTableGeneration: anyTableGeneration,
      newTablesGeneration: newTablesGeneration, tables: found,
      hasUnobservedTables: hasUnobservedTables)
    guard let first = found.first else { return (anyTable.items, stamp) }
    if found.count == 1, anyTable.isEmpty { return (first.table.list.items, stamp) }
    var result = anyTable
    for (table, _) in found { for registration in table.list.items { result.insert(registration) } }
    return (result.items, stamp)
  }

  /// Whether nobody has come, gone or changed its mind whom the stamp concerns.
  ///
  /// Brings the stamp up to date, so that the next look is quick.
  func isCurrent(_ stamp: inout Stamp) -> Bool {
    if stamp.generation == generation { return true }
    guard stamp.anyTableGeneration == anyTableGeneration,
      !stamp.hasUnobservedTables || stamp.newTablesGeneration == newTablesGeneration,
      stamp.tables.allSatisfy({ $0.table.generation == $0.generation })
    else { return false }
    stamp.generation = generation
    return true
  }
}

import CofferVault

/// The observers of one connection, indexed by what they observe.
///
/// Selective observers are indexed by table: neither a statement on other tables nor the end of a
/// transaction that touched none of their tables iterates over them.
struct ObserverRegistry {
  /// The selective observers of one table, which exists as long as it has any.
  final class Table {
    /// Incremented when an observer of all rows is added, removed, or changes its interests, and
    /// when the first observer of individual rows is added or the last one removed.
    fileprivate(set) var generation = 0
    /// The observers of all rows.
    fileprivate(set) var list = RegistrationList()
    /// The observers of individual rows.
    fileprivate(set) var rowObservers = RegistrationList()
    private var byRow: [Int64: RegistrationList] = [:]

    fileprivate var isEmpty: Bool { list.isEmpty && rowObservers.isEmpty }

    /// Returns the observers of an individual row, without the observers of all rows.
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

  /// The maximum number of rows by which an observer is indexed. An observer of more rows is
  /// consulted about all events of the table.
  private static let mostRows = 100

  /// The versions on which the set of interested observers depends.
  struct Stamp {
    /// The version of the whole registry, so that one comparison is mostly enough.
    fileprivate var generation: Int
    /// The version of the observers that are asked about all tables.
    fileprivate let anyTableGeneration: Int
    /// The version that counts tables getting their first observer.
    fileprivate let newTablesGeneration: Int
    fileprivate let tables: [(table: Table, generation: Int)]
    fileprivate let hasUnobservedTables: Bool
  }

  /// All registrations, in the order in which they were added.
  private(set) var all = RegistrationList()
  /// The observers that are notified of the end of every transaction.
  private(set) var unselective = RegistrationList()
  /// The observers that can be interested in every table.
  private(set) var anyTable = RegistrationList()
  /// The observers whose extent is the next transaction.
  private(set) var nextTransaction = RegistrationList()
  private var tables: [SQLName: Table] = [:]
  private var byObserver: [ObjectIdentifier: [ObserverRegistration]] = [:]

  /// The number of observers that were ever added.
  private(set) var addedCount = 0
  private var generation = 0
  private var anyTableGeneration = 0
  private var newTablesGeneration = 0
  private var sweepIndex = 0

  var isEmpty: Bool { all.isEmpty }

  /// Whether there are selective observers.
  var hasSelective: Bool { all.items.count > unselective.items.count }

  // MARK: Adding and removing

  /// Adds an observer.
  ///
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

  /// Removes a registration.
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

  /// Returns the registrations of an observer.
  func registrations(of observer: any TransactionObserver) -> [ObserverRegistration] {
    // The address can belong to an observer that has been deallocated.
    (byObserver[ObjectIdentifier(observer)] ?? []).filter { $0.observer === observer }
  }

  /// Returns the registrations among the next few whose observers have been deallocated: repeated
  /// calls cover all registrations in turn.
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

  // MARK: Changing interests

  /// Updates the index after the interests of an observer have changed.
  ///
  /// - Complexity: O(*t*) in the number of its tables, old and new.
  mutating func interestsDidChange(of observer: any TransactionObserver) {
    let selective = observer as? any SelectiveTransactionObserver
    for registration in registrations(of: observer) where !registration.isTransactionEnd {
      unindex(registration)
      index(registration, of: selective)
    }
  }

  /// Updates the index after the interests of any observers have changed.
  ///
  /// - Complexity: O(*n*) in the number of observers.
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

  // MARK: Queries

  /// Returns a table if individual rows of it are observed.
  func rowTable(_ name: String) -> Table? {
    guard let table = tables[SQLName(name)], !table.rowObservers.isEmpty else { return nil }
    return table
  }

  /// Returns whether selective observers are indexed by a table.
  func isObserved(_ name: String) -> Bool { tables[SQLName(name)] != nil }

  /// Returns the observers that can be interested in changes of these tables, in order, including
  /// the observers of individual rows.
  func allInterested(inTables names: [String]) -> [ObserverRegistration] {
    var result = RegistrationList()
    for registration in interested(inTables: names).registrations { result.insert(registration) }
    for name in names {
      guard let table = rowTable(name) else { continue }
      for registration in table.rowObservers.items { result.insert(registration) }
    }
    return result.items
  }

  /// Returns the observers that can be interested in changes of any rows of these tables, in order.
  ///
  /// - Returns: The registrations, and the versions on which that answer depends.
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

  /// Returns whether no observer that the stamp concerns was added, removed, or has changed its
  /// interests.
  ///
  /// Updates the stamp, so that the next check is fast.
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

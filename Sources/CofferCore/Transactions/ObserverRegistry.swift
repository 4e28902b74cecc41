/// The observers of one connection, by what they are to be asked and told.
///
/// Selective observers are kept by table: neither a statement on other tables
/// nor the end of a transaction that touched none of theirs comes across them.
struct ObserverRegistry {
  /// The selective observers of one table, as long as there are any.
  final class Table {
    /// Counts up when one of them comes, goes, or changes its mind.
    fileprivate(set) var generation = 0
    fileprivate(set) var list = RegistrationList()
  }

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
    let selective = observer as? any SelectiveTransactionObserver
    registration.tables = selective?.observedTables.map { Set($0.map { SQLName($0) }) }
    index(registration)
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
      registration.tables = selective?.observedTables.map { Set($0.map { SQLName($0) }) }
      index(registration)
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

  private mutating func index(_ registration: ObserverRegistration) {
    generation &+= 1
    guard let names = registration.tables else {
      anyTableGeneration &+= 1
      return anyTable.insert(registration)
    }
    for name in names {
      if let table = tables[name] {
        table.generation &+= 1
        table.list.insert(registration)
      } else {
        newTablesGeneration &+= 1
        let table = Table()
        table.list.insert(registration)
        tables[name] = table
      }
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
      table.generation &+= 1
      table.list.remove(registration)
      if table.list.isEmpty { tables[name] = nil }
    }
  }

  // MARK: Questions

  /// Those who may be interested in changes of these tables, in order.
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

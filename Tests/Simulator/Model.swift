/// What an action has to do.
enum Outcome: Equatable, Sendable {
  /// It succeeds; with the number of rows, if it tells one.
  case done(Int?)
  /// It throws `SQLITE_CONSTRAINT` and changes nothing.
  case conflict
  /// It throws that there is no such record.
  case notFound
  /// It throws `SQLITE_ERROR`.
  case wrong
  /// It throws `SQLITE_CONSTRAINT`, and has rolled back the transaction.
  case endsTransaction
}

/// A closure's error that rolls back its transaction, or its savepoint.
struct Refusal: Error {}

/// The error of a closure whose transaction was already rolled back.
struct TransactionEnded: Error {}

extension State {
  /// The state after a transaction, without any database.
  /// - Throws: `TransactionEnded` if one of the actions rolls it back.
  func after(_ actions: [Action], stamp: Int) throws -> State {
    var state = self
    state.version += 1
    state.stamp = stamp
    try state.perform(actions)
    return state
  }

  private mutating func perform(_ actions: [Action]) throws {
    for action in actions where perform(action) == .endsTransaction { throw TransactionEnded() }
  }

  private func isTaken(_ code: Int?, byOtherThan id: Int) -> Bool {
    guard let code else { return false }
    return items.values.contains { $0.code == code && $0.id != id }
  }

  private mutating func remove(_ id: Int) -> Int {
    guard items.removeValue(forKey: id) != nil else { return 0 }
    parts = parts.filter { $0.value.itemId != id }
    return 1
  }

  private mutating func put(_ item: Item) -> Outcome {
    if isTaken(item.code, byOtherThan: item.id) { return .conflict }
    items[item.id] = item
    return .done(nil)
  }

  /// Changes the state as the action does.
  mutating func perform(_ action: Action) -> Outcome {
    switch action {
    case .insert(let item), .insertBySQL(let item):
      return items[item.id] == nil ? put(item) : .conflict
    case .update(let item): return items[item.id] == nil ? .notFound : put(item)
    case .upsert(let item), .save(let item): return put(item)
    case .delete(let id): return .done(remove(id))
    case .add(let number, let modulus):
      let ids = items.keys.filter { $0 % modulus == 0 }
      for id in ids { items[id]?.number += number }
      return .done(ids.count)
    case .deleteAmong(let ids): return .done(Set(ids).reduce(0) { $0 + remove($1) })
    case .insertPart(let part):
      if parts[part.id] != nil || items[part.itemId] == nil { return .conflict }
      parts[part.id] = part
      return .done(nil)
    case .insertNote(let note):
      if notes[note.id] != nil { return .conflict }
      notes[note.id] = note
      return .done(nil)
    case .saveNotes(let new):
      for note in new { notes[note.id] = note }
      return .done(nil)
    case .changeNotes(let author, let count):
      let ids = notes.values.filter { $0.author == author }.map(\.id)
      for id in ids { notes[id]?.count = count }
      return .done(ids.count)
    case .deleteNote(let id): return .done(notes.removeValue(forKey: id) == nil ? 0 : 1)
    case .table(let number):
      if extras.remove(number) == nil { extras.insert(number) }
      return .done(nil)
    case .savepoint(let actions, let ending):
      var inner = self
      for action in actions where inner.perform(action) == .endsTransaction {
        return .endsTransaction
      }
      if ending == .commit { self = inner }
      return .done(nil)
    case .look: return .done(nil)
    case .wrongSQL: return .wrong
    case .conflictThatRollsBack(let item, _):
      if items[item.id] != nil { return .endsTransaction }
      return put(item) == .conflict ? .endsTransaction : .done(nil)
    }
  }
}

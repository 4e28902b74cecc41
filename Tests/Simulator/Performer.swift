import Coffer

/// Does actions on a connection, and compares each with the model.
struct Performer: Sendable {
  /// Reads and changes notes as documents; nil to do it as records.
  var notes: DocumentCollection<Note>?
  /// Whether foreign keys are checked only at the end, as in transactions of a store.
  var defersReferences = false

  /// Performs a transaction's actions on a connection whose content is `state`.
  func perform(_ actions: [Action], _ db: Database, _ state: inout State) throws {
    for action in actions { try perform(action, db, &state) }
  }

  /// Begins a transaction and performs its actions.
  /// - Returns: What the database contains then.
  func performAll(
    _ actions: [Action], stamp: Int, on base: State, _ db: Database
  ) throws -> State {
    var state = base
    let version = try Int.fetchOne(db, sql: "SELECT version FROM meta")
    try require(version == base.version, "a write begins at \(version ?? -1), not \(base.version)")
    state.version += 1
    state.stamp = stamp
    try db.execute(
      sql: "UPDATE meta SET version = ?, stamp = ?", arguments: [state.version, state.stamp])
    try perform(actions, db, &state)
    return state
  }

  private func perform(_ action: Action, _ db: Database, _ state: inout State) throws {
    if case .insertPart(let part) = action, defersReferences, state.items[part.itemId] == nil {
      return
    }
    let before = state
    let expected = state.perform(action)
    do {
      let count = try execute(action, db, before)
      try require(expected == .done(count), "\(action) gave \(count as Any), not \(expected)")
    } catch let error as DatabaseError {
      switch expected {
      case .conflict where error.resultCode == .SQLITE_CONSTRAINT: return
      case .wrong where error.resultCode == .SQLITE_ERROR: return
      case .endsTransaction where error.resultCode == .SQLITE_CONSTRAINT:
        if case .conflictThatRollsBack(_, isNoticed: false) = action { try requireEnd(db) }
        throw TransactionEnded()
      default: throw error
      }
    } catch is RecordError {
      try require(expected == .notFound, "\(action) found no record")
    }
  }

  /// Checks that nothing can be done in a transaction that was rolled back.
  private func requireEnd(_ db: Database) throws {
    do {
      try db.execute(sql: "UPDATE meta SET version = -1")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ABORT {
      return
    }
    throw Violation("a statement is executed after the transaction was rolled back")
  }

  /// - Returns: The number of rows, where the action tells one.
  private func execute(_ action: Action, _ db: Database, _ state: State) throws -> Int? {
    switch action {
    case .insert(let item): try item.insert(db)
    case .insertBySQL(let item): try insert("INSERT", item, db)
    case .update(let item): try item.update(db)
    case .upsert(let item): try item.upsert(db)
    case .save(let item): try item.save(db)
    case .delete(let id):
      return try Item(id: id, number: 0, text: "", code: nil).delete(db) ? 1 : 0
    case .add(let number, let modulus):
      try db.execute(
        sql: "UPDATE item SET number = number + ? WHERE id % ? = 0", arguments: [number, modulus])
      return db.changesCount
    case .deleteAmong(let ids):
      try db.execute(sql: "DELETE FROM item WHERE id IN (?)", arguments: [ids])
      return db.changesCount
    case .insertPart(let part): try part.insert(db)
    case .insertNote, .saveNotes, .changeNotes, .deleteNote:
      return try notes.map { try execute(action, $0) } ?? executeAsRecords(action, db)
    case .table(let number):
      let isThere = state.extras.contains(number)
      try db.execute(
        sql: isThere ? "DROP TABLE extra\(number)" : "CREATE TABLE extra\(number) (x)")
    case .savepoint(let actions, let ending):
      do {
        try db.inSavepoint {
          var inner = state
          try perform(actions, db, &inner)
          if ending == .refusal { throw Refusal() }
          return ending == .commit ? .commit : .rollback
        }
      } catch is Refusal {}
    case .look(let look): try look.check(db, state, notes)
    case .wrongSQL: try db.execute(sql: "UPDATE item SET nothing = 1")
    case .conflictThatRollsBack(let item, _): try insert("INSERT OR ROLLBACK", item, db)
    }
    return nil
  }

  private func insert(_ verb: String, _ item: Item, _ db: Database) throws {
    try db.execute(
      sql: "\(verb) INTO item (id, number, text, code) VALUES (?, ?, ?, ?)",
      arguments: [item.id, item.number, item.text, item.code])
  }

  private func execute(_ action: Action, _ notes: DocumentCollection<Note>) throws -> Int? {
    switch action {
    case .insertNote(let note): try notes.insert(note)
    case .saveNotes(let new): try notes.save(new)
    case .changeNotes(let author, let count):
      return try notes.filter(\.author, equalTo: author).update(\.count, count)
    case .deleteNote(let id): return try notes.filter(id: id).delete()
    default: break
    }
    return nil
  }

  private func executeAsRecords(_ action: Action, _ db: Database) throws -> Int? {
    switch action {
    case .insertNote(let note): try note.insert(db)
    case .saveNotes(let new):
      for note in new {
        try Note.filter(Column("id") == note.id).deleteAll(db)
        try note.insert(db)
      }
    case .changeNotes(let author, let count):
      return try Note.filter(Column("author") == author)
        .updateAll(db, Column("count").set(to: count))
    case .deleteNote(let id): return try Note.filter(Column("id") == id).deleteAll(db)
    default: break
    }
    return nil
  }
}

extension Look {
  /// Throws if a connection doesn't see the state.
  func check(_ db: Database, _ state: State, _ notes: DocumentCollection<Note>?) throws {
    let items = state.items.values.sorted { $0.id < $1.id }
    func same<T: Equatable>(_ seen: T, _ expected: T) throws {
      try require(seen == expected, "\(self) shows \(seen), not \(expected)")
    }
    switch self {
    case .rows:
      let seen = try State.read(db)
      try require(seen == state, "rows: \(seen.difference(from: state))")
    case .cursor:
      // Two cursors of the same SQL, of which one stops early.
      let outer = try Item.order(Column("id")).fetchCursor(db)
      var seen: [Item] = []
      while let item = try outer.next() {
        seen.append(item)
        let inner = try Item.order(Column("id")).fetchCursor(db)
        try same(try inner.next()?.id, items.first?.id)
      }
      try same(seen, items)
    case .arrays:
      let numbers = Array(0..<25)
      let ids = try Int.fetchAll(
        db, sql: "SELECT id FROM item WHERE number IN (?) AND id NOT IN (:no) ORDER BY id",
        arguments: [numbers] + ["no": [3, 5, 7]])
      let expected = items.filter { numbers.contains($0.number) && ![3, 5, 7].contains($0.id) }
      try same(ids, expected.map(\.id))
    case .requests:
      let many = try Item.filter { $0.number >= 20 && $0.code == nil }.order { $0.id }.fetchAll(db)
      try same(many, items.filter { $0.number >= 20 && $0.code == nil })
      try same(try Item.fetchCount(db), items.count)
      try same(try Item.fetchOne(db, key: 5), state.items[5])
      let sum = try Int.fetchOne(
        db, sql: "SELECT ifnull(sum(amount), 0) FROM part JOIN item ON item.id = itemId")
      try same(sum, state.parts.values.reduce(0) { $0 + $1.amount })
    case .documents:
      let expected = state.notes.values.filter { $0.author == "Ada" }.sorted { $0.id < $1.id }
      guard let notes else {
        let request = Note.filter(Column("author") == "Ada").order(Column("id"))
        return try same(try request.fetchAll(db), expected)
      }
      try same(
        try notes.filter(\.author, equalTo: "Ada").orderBy(\.id).fetchMany(), expected)
      try same(try notes.all().fetchCount(), state.notes.count)
      try same(try notes.filter(id: "n3").fetchOne(), state.notes["n3"])
    }
  }
}

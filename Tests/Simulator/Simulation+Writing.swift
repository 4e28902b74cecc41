import Coffer
import CofferTestSupport
import Foundation

extension Simulation {
  /// Writes by the main connection.
  func write(_ form: WriteForm, _ actions: [Action], _ ending: Ending) throws -> String {
    if form == .barrier { try unpark() }
    let base = current
    let stamp = number
    let performer = Performer(notes: notes, defersReferences: form == .store)
    let attempted = Locked<State?>(nil)
    let body: @Sendable (Database) throws -> State = { db in
      let state = try performer.performAll(actions, stamp: stamp, on: base, db)
      attempted.set(state)
      // Some forms can't end with a rollback but by an error.
      if ending == .refusal || (ending == .rollback && !form.canRollBack) { throw Refusal() }
      return state
    }
    let result = Result { try run(form, ending, body) }
    return try conclude(result, ending, attempted.value)
  }

  private func run(
    _ form: WriteForm, _ ending: Ending, _ body: @escaping @Sendable (Database) throws -> State
  ) throws -> State {
    let writer = try opened
    let completion: Database.TransactionCompletion = ending == .commit ? .commit : .rollback
    let transaction: @Sendable (Database) throws -> State = { db in
      var state = State()
      try db.inTransaction {
        state = try body(db)
        return completion
      }
      return state
    }
    switch form {
    case .write: return try writer.write(body)
    case .transaction:
      var state = State()
      if let pool = writer as? DatabasePool {
        try pool.writeInTransaction { db in
          state = try body(db)
          return completion
        }
      } else if let queue = writer as? DatabaseQueue {
        try queue.inTransaction { db in
          state = try body(db)
          return completion
        }
      }
      return state
    case .withoutTransaction: return try writer.writeWithoutTransaction(transaction)
    case .barrier: return try writer.barrierWriteWithoutTransaction(transaction)
    case .reentrant:
      return try writer.writeWithoutTransaction { _ in try writer.unsafeReentrantWrite(transaction)
      }
    case .tasks: return try waitForTask { try await writer.write(body) }
    case .callback:
      return try waitForCallback { done in
        writer.asyncWrite(body) { _, result in done(result) }
      }
    case .store:
      guard let store = notes?.store else { throw Violation("no store") }
      return try store.transaction { try store.write(body) }
    }
  }

  /// Puts the result of a transaction into the model.
  private func conclude(
    _ result: Result<State, any Error>, _ ending: Ending, _ attempted: State?
  ) throws -> String {
    switch result {
    case .success(let state):
      guard ending == .commit else { return "rolled back" }
      commit(state)
      return "committed"
    case .failure(is Refusal) where ending != .commit: return "refused"
    case .failure(is TransactionEnded): return "ended"
    case .failure(let violation as Violation): throw violation
    case .failure(let error):
      guard let fault else { throw Violation("a write threw \(error)") }
      if ending == .commit, fault.leavesDoubt { doubtful = attempted }
      throw error
    }
  }

  // MARK: Cancellation

  func writeCancelled(_ actions: [Action], _ moment: Moment) throws -> String {
    let base = current
    let stamp = number
    let performer = Performer(notes: nil)
    let writer = try opened
    let cancel: @Sendable () -> Void = { withUnsafeCurrentTask { $0?.cancel() } }
    if case .waiting = moment { return try cancelWaiting(actions) }
    let result = Result {
      try waitForTask {
        if case .before = moment { cancel() }
        return try await writer.write { db in
          var state = try performer.performAll([], stamp: stamp, on: base, db)
          for (index, action) in actions.enumerated() {
            if case .inside(let place) = moment, place == index + 1 { cancel() }
            try performer.perform([action], db, &state)
          }
          if case .atTheEnd = moment { cancel() }
          return state
        }
      }
    }
    switch result {
    case .success(let state):
      // Cancelled too late, or after its last statement.
      switch moment {
      case .inside(let place) where place > actions.count: break
      case .atTheEnd: break
      default: throw Violation("a cancelled write returned")
      }
      commit(state)
      return "committed"
    case .failure(is CancellationError): return "cancelled"
    case .failure(is TransactionEnded): return "ended"
    case .failure(let error): throw Violation("a cancelled write threw \(error)")
    }
  }

  /// Cancels a write that waits for another one.
  private func cancelWaiting(_ actions: [Action]) throws -> String {
    let writer = try opened
    let first = Parked { body in try writer.writeWithoutTransaction { try body($0) } }
    let waiting = Task<Bool, any Error> {
      try await writer.write { db in
        try db.execute(sql: "DELETE FROM item")
        return true
      }
    }
    waiting.cancel()
    let result = Result { try waitForTask { try await waiting.value } }
    first.release()
    let seen = try first.end()
    try require(seen == current, "a write: \(seen.difference(from: current))")
    guard case .failure(is CancellationError) = result else {
      throw Violation("a cancelled write that waits gave \(result)")
    }
    return "cancelled"
  }

  // MARK: Other connections

  func writeByOther(_ actions: [Action], _ ending: Ending) throws -> String {
    let base = current
    let queue = try openedOther()
    do {
      var state = State()
      try queue.inTransaction { db in
        state = try Performer().performAll(actions, stamp: number, on: base, db)
        if ending == .refusal { throw Refusal() }
        return ending == .commit ? .commit : .rollback
      }
      guard ending == .commit else { return "rolled back" }
      commit(state, isExternal: true)
    } catch is Refusal {
      return "refused"
    } catch is TransactionEnded {
      return "ended"
    }
    return "committed"
  }

  /// While one connection writes, the other can't, and reads what was committed before.
  func contend(_ actions: [Action]) throws -> String {
    let base = current
    let queue = try openedOther()
    let writer = try opened
    func requireBusy(_ body: () throws -> Void) throws {
      do { try body() } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        return
      }
      throw Violation("two connections write at the same time")
    }
    func readOld(_ reader: any DatabaseReader) throws {
      do {
        let seen = try reader.read { try State.read($0) }
        try require(seen == base, "a read during a write: \(seen.difference(from: base))")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && !isLogged {}
    }
    do {
      let state = try writer.write { db in
        let state = try Performer().performAll(actions, stamp: number, on: base, db)
        otherWaits.set(false)
        defer { otherWaits.set(true) }
        try requireBusy { try queue.write { try $0.execute(sql: "DELETE FROM part") } }
        try readOld(queue)
        return state
      }
      commit(state)
    } catch is TransactionEnded {}
    let second = current
    do {
      let state = try queue.write { db in
        let state = try Performer().performAll(actions, stamp: number, on: second, db)
        try requireBusy { try writer.write { try $0.execute(sql: "DELETE FROM part") } }
        return state
      }
      commit(state, isExternal: true)
    } catch is TransactionEnded {}
    return "done"
  }

  func writeByProcess(_ actions: [Action], _ ending: Ending) throws -> String {
    let expected = Result { try current.after(actions, stamp: number) }
    let reply = try OtherProcess.shared.ask("commit", self)
    switch (expected, ending) {
    case (.failure, _): try require(reply == "ended", "a process says \(reply)")
    case (.success(let state), .commit):
      try require(reply == "committed", "a process says \(reply)")
      commit(state, isExternal: true)
    default: try require(reply == "refused" || reply == "rolled back", "a process says \(reply)")
    }
    return reply
  }

  func killProcess(_ actions: [Action]) throws -> String {
    let expected = Result { try current.after(actions, stamp: number) }
    let reply = try OtherProcess.shared.ask("hold", self)
    switch expected {
    case .failure: try require(reply == "ended", "a process says \(reply)")
    case .success:
      try require(reply == "holding", "a process says \(reply)")
      OtherProcess.shared.kill()
    }
    return reply
  }
}

extension WriteForm {
  /// Whether the closure can ask for a rollback without an error.
  var canRollBack: Bool {
    switch self {
    case .transaction, .withoutTransaction, .barrier, .reentrant: true
    case .write, .tasks, .callback, .store: false
    }
  }
}

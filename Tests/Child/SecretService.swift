// Scenarios of the desktop's keyring, for Scripts/check-secret-service:
//
//   CofferTestChild keyring-make PATH      makes a database with a slot of the keyring
//   CofferTestChild keyring-open PATH      opens it, by eight threads at once
//   CofferTestChild keyring-remove PATH    removes the key from the keyring
//
// Each says what happened, or the error's text.

import Coffer
import CofferSecretService
import Dispatch
import Synchronization

func runSecretServiceScenario(_ arguments: [String]) throws -> Bool {
  let keyring = SecretServiceProvider(service: "org.example.Notes", account: "tests")
  guard arguments.count == 2 else { return false }
  let path = arguments[1]
  do {
    switch arguments[0] {
    case "keyring-make":
      _ = try KeySlots.create(
        forDatabaseAt: path, unlocker: .provider(keyring), label: "keyring")
      try DatabaseQueue(path: path, key: .slots(unlocker: .provider(keyring))).write { db in
        try db.execute(sql: "CREATE TABLE note (text TEXT)")
      }
      say("made")
    case "keyring-open":
      let counts = Mutex<[Result<Int, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        let count = Result {
          let queue = try DatabaseQueue(path: path, key: .slots(unlocker: .provider(keyring)))
          return try queue.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
          }
        }
        counts.withLock { $0.append(count) }
      }
      say("opened \(try counts.withLock { try $0.map { try $0.get() } })")
    case "keyring-remove":
      try keyring.removeKey()
      say("removed")
    default: return false
    }
  } catch let error as SecretServiceError {
    say("\(error)")
  }
  return true
}

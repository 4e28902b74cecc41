@testable import CofferCore
import CofferExpectations
import CofferTestSupport
import Dispatch
import Synchronization
import Testing

@Suite("The access under way") struct CurrentAccessTests {
  private static func current(_ writer: any DatabaseWriter) -> Database? {
    (writer as? any ObservableReader)?.currentDatabase
  }

  @Test(arguments: EncryptedDatabase.Kind.allCases)
  func `an access is known to its thread alone`(_ kind: EncryptedDatabase.Kind) throws {
    let encrypted = try EncryptedDatabase(kind)
    defer { withExtendedLifetime(encrypted) {} }
    let writer = encrypted.writer
    #expect(Self.current(writer) == nil)
    try writer.read { db in #expect(Self.current(writer) === db) }
    try writer.write { db in
      #expect(Self.current(writer) === db)
      #expect(Self.current(AnyDatabaseWriter(writer)) === db)
      let isElsewhere = Mutex(false)
      let group = DispatchGroup()
      detachThread(group: group) {
        let isKnown = Self.current(writer) != nil
        isElsewhere.withLock { $0 = isKnown }
      }
      group.wait()
      #expect(!isElsewhere.withLock { $0 })
    }
    #expect(Self.current(writer) == nil)
  }

  @Test func `of a pool's connections, the one that writes comes first`() throws {
    let encrypted = try EncryptedPool()
    try encrypted.pool.write { db in
      try encrypted.pool.read { reader in
        #expect(reader !== db)
        #expect(encrypted.pool.currentDatabase === db)
      }
    }
  }

  @Test func `an access to one database isn't one to another`() throws {
    let (one, two) = (try EncryptedQueue(), try EncryptedQueue())
    try one.queue.read { _ in #expect(two.queue.currentDatabase == nil) }
  }

  @Test func `an asynchronous access is known to the thread that runs it`() async throws {
    let encrypted = try EncryptedPool()
    let pool = encrypted.pool
    #expect(try await pool.read { pool.currentDatabase === $0 })
    #expect(try await pool.write { pool.currentDatabase === $0 })
  }
}

#if S3
  import CofferTestSupport
  import Foundation
  import Testing

  @testable import Coffer
  @testable import CofferArchive
  @testable import CofferCore

  /// Sessions whose object store fails, as those of a run with several databases.
  @Suite struct S3SessionFaultTests {
    private static func destination(_ store: FaultStore) throws -> S3Destination {
      try store.destination {
        $0.attempts = 1
        $0.requestTimeLimit = 2
        $0.stallTimeLimit = 1
      }
    }

    private static func start(
      _ fixture: ArchiveFixture, _ store: FaultStore, _ gate: ArchiveGate
    ) throws -> (Archive, ArchiveSession) {
      let archive = Archive(try destination(store), configuration: fixture.configuration)
      let database = try ArchivedDatabase(closing: fixture.pool)
      return (archive, try archive.start(database, through: gate))
    }

    /// Changes the database as another program does.
    private static func write(_ fixture: ArchiveFixture) throws -> String {
      let pool = try ArchiveFixture.open(fixture.path)
      fixture.pool = pool
      try fixture.write()
      let content = try ArchiveFixture.content(of: pool)
      try pool.keepLog()
      try pool.close()
      return content
    }

    private static func restored(_ fixture: ArchiveFixture, _ archive: Archive) throws -> String {
      try fixture.restored(from: archive.destination).content
    }

    private static let faults: [(name: String, action: FaultStore.Action)] = [
      ("cut", .drop), ("cut afterwards", .dropAfter), ("silent", .stall(60)),
      ("403", .reply(403, "AccessDenied")), ("404", .reply(404)),
      ("500", .reply(500, "InternalError")),
      ("500 afterwards", .replyAfter(500, "InternalError")), ("503", .reply(503, "SlowDown")),
      ("bucket gone", .reply(404, "NoSuchBucket")),
    ]

    @Test(arguments: faults.indices)
    func `a session goes on behind each fault of its store, with all commits`(index: Int) throws {
      let store = try FaultStore()
      let fixture = try ArchiveFixture()
      let (archive, session) = try Self.start(fixture, store, ArchiveGate(1))
      try session.archiveNow()
      store.fail(Self.faults[index].action, times: 1_000)
      let content = try Self.write(fixture)
      #expect(throws: (any Error).self) { try session.archiveNow() }
      #expect(session.status.isRunning)
      store.heal()
      let commit = try session.archiveNow()
      #expect(try Self.restored(fixture, archive) == content)
      try session.stop()
      #expect(try archive.verify(atLeast: [.commit(commit.number)], key: ArchiveFixture.key) == [])
    }

    @Test func `a store that was emptied is no takeover, and its session goes on when it is back`()
      throws
    {
      let store = try FaultStore()
      let fixture = try ArchiveFixture { $0.leaseInterval = .zero }
      let (archive, session) = try Self.start(fixture, store, ArchiveGate(1))
      try session.archiveNow()
      let objects = store.state.withLock { state in
        defer { state.objects = [:] }
        return state.objects
      }
      let content = try Self.write(fixture)
      let error = #expect(throws: ArchiveError.self) { try session.archiveNow() }
      if case .gone = error {} else { Issue.record("\(error as Any)") }
      #expect(session.status.isRunning)
      store.state.withLock { $0.objects.merge(objects) { $1 } }
      try session.archiveNow()
      try session.stop()
      #expect(try Self.restored(fixture, archive) == content)
    }

    @Test func `a store that is silent holds up its own section alone, and no end`() throws {
      let (silent, well) = (try FaultStore(), try FaultStore())
      let (slow, quick) = (try ArchiveFixture(), try ArchiveFixture())
      let (first, second) = (ArchiveGate(1), ArchiveGate(1))
      let (_, waiting) = try Self.start(slow, silent, first)
      let (archive, session) = try Self.start(quick, well, second)
      try waiting.archiveNow()
      silent.fail(.stall(60), times: 1_000)
      _ = try Self.write(slow)
      let content = try Self.write(quick)
      try session.archiveNow()
      #expect(try Self.restored(quick, archive) == content)
      let error = #expect(throws: (any Error).self) { try waiting.stop(within: .milliseconds(200)) }
      #expect(error is ArchiveError)
      try session.stop()
    }

    @Test func `a slow store delays commits, and loses none`() throws {
      let store = try FaultStore()
      let fixture = try ArchiveFixture { $0.interval = .milliseconds(1) }
      let archive = Archive(try store.destination(), configuration: fixture.configuration)
      let session = try archive.start(
        ArchivedDatabase(closing: fixture.pool), through: ArchiveGate(1))
      try session.archiveNow()
      store.fail(.meanwhile { _ in usleep(100_000) }, times: 1_000)
      // Commits don't wait for the store.
      var content = ""
      for _ in 0..<30 { content = try Self.write(fixture) }
      let commit = try session.archiveNow()
      #expect(session.status.gapCount == 0)
      #expect(try Self.restored(fixture, archive) == content)
      try session.stop()
      #expect(try archive.verify(atLeast: [.commit(commit.number)], key: ArchiveFixture.key) == [])
    }

    @Test func `a gate bounds what is asked at once, and forgets nobody`() throws {
      let store = try FaultStore()
      let gate = ArchiveGate(2)
      let fixtures = try (0..<6).map { _ in try ArchiveFixture() }
      let connections = S3Connections()
      var options = S3Options()
      options.endpoint = store.endpoint
      options.credentials = .fixed(S3Credentials(accessKeyID: "a", secretAccessKey: "b"))
      var sessions: [ArchiveSession] = []
      for (index, fixture) in fixtures.enumerated() {
        let destination = try S3Destination(
          "s3://bucket/\(index)", options: options, sharing: connections)
        let archive = Archive(destination, configuration: fixture.configuration)
        sessions.append(
          try archive.start(ArchivedDatabase(closing: fixture.pool), through: gate))
      }
      // By the gate alone: nobody waits here.
      for session in sessions {
        for _ in 0..<1_200 where session.status.archived == nil { usleep(50_000) }
        #expect(session.status.archived != nil)
      }
      for session in sessions { try session.stop() }
      withExtendedLifetime(fixtures) {}
    }
  }
#endif

#if S3
  import Foundation
  import Testing

  @testable import CofferArchive

  /// Objects that are sent in parts.
  @Suite struct S3PartsTests {
    private let bytes = Data(repeating: 7, count: (17 << 20) + 1)

    private func isCompletion(_ request: FaultRequest) -> Bool {
      request.method == "POST" && request.query["uploadId"] != nil && !request.isProbe
    }

    private func openUploads(_ store: FaultStore) -> Int {
      store.state.withLock { $0.uploads.count }
    }

    @Test func `a large object is sent in parts`() throws {
      let store = try FaultStore()
      #expect(try store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == bytes)
      #expect(store.requests.map(\.method) == ["HEAD", "POST", "PUT", "PUT", "PUT", "POST"])
      #expect(store.requests.last?.headers["if-none-match"] == "*")
    }

    @Test func `a large object that is there isn't sent`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", Data("other".utf8))
      #expect(try !store.destination().putIfAbsent("a", bytes))
      #expect(store.requests.map(\.method) == ["HEAD"])
    }

    @Test func `another writer's object stays, and the upload is aborted`() throws {
      let store = try FaultStore()
      store.fail(.meanwhile { $0.setObject("notes/a", Data("other".utf8)) }, isCompletion)
      #expect(try !store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == Data("other".utf8))
      #expect(openUploads(store) == 0)
    }

    @Test func `a completion whose reply is lost is this call's`() throws {
      for action: FaultStore.Action in [.replyAfter(500, "InternalError"), .dropAfter] {
        let store = try FaultStore()
        store.fail(action, isCompletion)
        #expect(try store.destination().putIfAbsent("a", bytes))
        #expect(store.object("notes/a") == bytes)
      }
    }

    @Test func `a failure under status 200 is no success`() throws {
      let store = try FaultStore()
      store.fail(.body("<Error><Code>InternalError</Code></Error>"), isCompletion)
      #expect(try store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == bytes)
      store.fail(.body("<Error><Code>InternalError</Code></Error>"), times: 9, isCompletion)
      #expect(throws: S3Error.self) { try store.destination().putIfAbsent("b", bytes) }
      #expect(store.object("notes/b") == nil)
      #expect(openUploads(store) == 0)
    }

    @Test func `a part that fails is sent again, and in the end the upload aborted`() throws {
      let store = try FaultStore()
      store.fail(.drop) { $0.query["partNumber"] == "2" }
      #expect(try store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == bytes)
      store.fail(.reply(500, "InternalError"), times: 9) { $0.query["partNumber"] == "2" }
      #expect(throws: S3Error.unavailable(status: 500, code: "InternalError")) {
        try store.destination().putIfAbsent("b", bytes)
      }
      #expect(store.object("notes/b") == nil)
      #expect(openUploads(store) == 0)
    }

    @Test func `after a conflict, the upload is made anew`() throws {
      let store = try FaultStore()
      store.fail(.reply(409, "ConditionalRequestConflict"), isCompletion)
      #expect(try store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == bytes)
      #expect(openUploads(store) == 0)
    }

    @Test func `without a condition for parts, a large object is sent at once`() throws {
      let store = try FaultStore { $0.honoursInParts = false }
      let destination = try store.destination()
      #expect(try destination.putIfAbsent("a", bytes))
      #expect(try !destination.putIfAbsent("a", bytes))
      #expect(store.requests.map(\.method) == ["PUT", "PUT"])
      #expect(openUploads(store) == 0)
      #expect(try destination.list("") == ["a"])
    }
  }
#endif

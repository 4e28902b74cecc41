#if S3
  import Foundation
  import Testing

  @testable import CofferArchive

  @Suite struct S3FaultTests {
    private let bytes = Data("some bytes".utf8)

    // MARK: Storing

    @Test func `a failure is followed by a further attempt`() throws {
      let store = try FaultStore()
      for status in [500, 503, 429, 408] {
        let name = "a\(status)"
        store.fail(.reply(status, "SlowDown"), times: 2) { $0.key == "notes/\(name)" }
        #expect(try store.destination().putIfAbsent(name, bytes))
        #expect(store.object("notes/\(name)") == bytes)
        #expect(store.requests.filter { $0.key == "notes/\(name)" }.count == 3)
      }
    }

    @Test func `attempts end, with the store's status`() throws {
      let store = try FaultStore()
      store.fail(.reply(503, "SlowDown"), times: 100)
      #expect(throws: S3Error.unavailable(status: 503, code: "SlowDown")) {
        try store.destination().putIfAbsent("a", bytes)
      }
      #expect(store.requests.count == 4)
    }

    @Test func `an object that a failed attempt has stored is this call's`() throws {
      for action: FaultStore.Action in [.replyAfter(500, "InternalError"), .dropAfter] {
        let store = try FaultStore()
        store.fail(action) { $0.method == "PUT" && !$0.isProbe }
        #expect(try store.destination().putIfAbsent("a", bytes))
        #expect(store.requests.map(\.method) == ["PUT", "PUT", "HEAD"])
      }
    }

    @Test func `after a failed attempt, another's object with the same bytes isn't this call's`()
      throws
    {
      let store = try FaultStore()
      let bytes = bytes
      store.fail(.drop)
      store.fail(.meanwhile { $0.setObject("notes/a", bytes, mark: "another's") })
      #expect(try !store.destination().putIfAbsent("a", bytes))
    }

    @Test func `without metadata, an object with the same bytes is this call's`() throws {
      let store = try FaultStore { $0.keepsMetadata = false }
      store.fail(.dropAfter)
      #expect(try store.destination().putIfAbsent("a", bytes))
      store.setObject("notes/b", Data("other".utf8))
      store.fail(.drop)
      #expect(try !store.destination().putIfAbsent("b", bytes))
    }

    @Test func `an object that is there isn't replaced, nor read`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", Data("other".utf8))
      #expect(try !store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == Data("other".utf8))
      #expect(store.requests.map(\.method) == ["PUT"])
    }

    @Test func `an object that vanishes after a refusal is stored anew`() throws {
      let store = try FaultStore()
      store.fail(.dropAfter)
      store.fail(.reply(412, "PreconditionFailed"))
      store.fail(.meanwhile { $0.setObject("notes/a", nil) })
      #expect(try store.destination().putIfAbsent("a", bytes))
      #expect(store.object("notes/a") == bytes)
    }

    @Test func `a conflict is followed by a further attempt`() throws {
      let store = try FaultStore()
      store.fail(.reply(409, "ConditionalRequestConflict"))
      #expect(try store.destination().putIfAbsent("a", bytes))
    }

    @Test func `a broken kept connection doesn't make an own object another's`() throws {
      let store = try FaultStore()
      let destination = try store.destination()
      #expect(try destination.putIfAbsent("first", bytes))
      // libcurl itself sends the request again over a new connection.
      store.fail(.dropAfter)
      #expect(try destination.putIfAbsent("a", bytes))
    }

    // MARK: The condition

    @Test func `a store that replaces objects is refused before the first one`() throws {
      let store = try FaultStore { $0.honoursCondition = false }
      let destination = try store.destination()
      for _ in 0..<2 {
        #expect(throws: S3Error.conditionNotHonoured(endpoint: store.endpoint)) {
          try destination.putIfAbsent("a", bytes)
        }
      }
      #expect(store.state.withLock { $0.objects.isEmpty })
      #expect(throws: S3Error.self) { try destination.probe() }
    }

    @Test func `a store that doesn't know the condition is refused`() throws {
      let store = try FaultStore()
      store.fail(.reply(501, "NotImplemented")) { $0.isProbe }
      #expect(throws: S3Error.conditionNotHonoured(endpoint: store.endpoint)) {
        try store.destination().putIfAbsent("a", bytes)
      }
    }

    @Test func `the condition is tried once, and its object deleted`() throws {
      let store = try FaultStore()
      let destination = try store.destination()
      for name in ["a", "b", "c"] { #expect(try destination.putIfAbsent(name, bytes)) }
      let probes = store.state.withLock { $0.requests.filter(\.isProbe).map(\.method) }
      #expect(probes == ["PUT", "PUT", "DELETE"])
      #expect(try destination.list("") == ["a", "b", "c"])
    }

    @Test func `credentials that can't delete can store`() throws {
      let store = try FaultStore()
      store.fail(.reply(403, "AccessDenied"), times: 9) { $0.method == "DELETE" }
      #expect(try store.destination().putIfAbsent("a", bytes))
    }

    // MARK: Reading

    @Test func `an object that was cut off is read again, and never returned`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", bytes)
      store.fail(.truncate, times: 2)
      #expect(try store.destination().get("a") == bytes)
      store.fail(.truncate, times: 9)
      #expect(throws: S3Error.self) { try store.destination().get("a") }
    }

    @Test func `an object without a length is an error`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", bytes)
      store.fail(.hideLength, times: 9)
      #expect(throws: S3Error.invalidReply("an object without its length")) {
        try store.destination().get("a")
      }
    }

    @Test func `only the store's own word means that there is no object`() throws {
      let store = try FaultStore()
      let destination = try store.destination()
      #expect(try destination.get("a") == nil)
      store.fail(.reply(404))
      #expect(throws: S3Error.invalidReply("status 404")) { try destination.get("a") }
      store.fail(.reply(404, "NoSuchBucket"))
      #expect(throws: S3Error.bucketMissing("bucket")) { try destination.get("a") }
      #expect(store.requests.count == 3)
    }

    @Test func `deleting nothing is no error`() throws {
      let store = try FaultStore()
      try store.destination().delete("a")
      store.fail(.reply(404, "NoSuchKey"))
      try store.destination().delete("a")
    }

    // MARK: Lists

    @Test func `a list has all pages, in order, and only names of an archive`() throws {
      let store = try FaultStore { $0.pageSize = 3 }
      let names = (0..<20).map { "x/\($0)" } + ["x-1", "x.b", "X"]
      for name in names { store.setObject("notes/\(name)", bytes) }
      for key in ["notes/", "notes/x/&amp", "notes/x/<b>", "notes/x/", "other/x", "notesx"] {
        store.setObject(key, bytes)
      }
      let destination = try store.destination()
      let ordered = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      #expect(try destination.list("") == ordered)
      #expect(try destination.list("x/1") == ordered.filter { $0.hasPrefix("x/1") })
      #expect(try destination.list("none") == [])
      #expect(throws: S3Error.invalidName) { try destination.list("a b") }
    }

    @Test func `a list that was cut off is asked for again`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", bytes)
      store.fail(.hideLength)
      store.fail(.truncate)
      store.fail(.change { String($0.dropLast(10)) })
      #expect(try store.destination().list("") == ["a"])
      store.fail(.body("<html></html>"), times: 9)
      #expect(throws: S3Error.invalidReply("a list that isn't complete")) {
        try store.destination().list("")
      }
    }

    @Test func `a list that goes round in circles is an error`() throws {
      let store = try FaultStore()
      let page =
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t"
        + "</NextContinuationToken></ListBucketResult>"
      store.fail(.body(page), times: 9)
      #expect(throws: S3Error.self) { try store.destination().list("") }
      #expect(store.requests.count == 2)
    }

    @Test func `what probes left is deleted a day later`() throws {
      let store = try FaultStore()
      for name in ["probe/new", "probe/old", "probe/unknown", "log/1"] {
        store.setObject("notes/" + name, Data("x".utf8))
      }
      let now = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      let dates = ["probe/new": now, "probe/old": "2020-02-03T04:05:06.000Z", "probe/unknown": ""]
      let change = FaultStore.Action.change { reply in
        dates.reduce(reply) { reply, entry in
          let key = "<Key>notes/\(entry.key)</Key>"
          return reply.replacing(key, with: "\(key)<LastModified>\(entry.value)</LastModified>")
        }
      }
      store.fail(change) { $0.query["prefix"] != nil }
      #expect(try store.destination().deleteLeftovers() == 1)
      #expect(store.object("notes/probe/old") == nil)
      for name in ["probe/new", "probe/unknown", "log/1"] {
        #expect(store.object("notes/" + name) != nil)
      }
      // A store that tells no dates.
      #expect(try store.destination().deleteLeftovers() == 0)
    }

    @Test func `an object of more than 64 MiB is refused`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", Data(count: (64 << 20) + 1))
      #expect(throws: S3Error.self) { try store.destination().get("a") }
      #expect(throws: S3Error.tooLarge(byteCount: (64 << 20) + 1)) {
        try store.destination().putIfAbsent("b", Data(count: (64 << 20) + 1))
      }
    }
  }
#endif

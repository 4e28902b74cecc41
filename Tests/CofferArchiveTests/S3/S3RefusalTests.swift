#if S3
  import Foundation
  import Synchronization
  import Testing

  @testable import CofferArchive

  @Suite struct S3RefusalTests {
    private let bytes = Data("some bytes".utf8)

    // MARK: Refusals

    @Test func `a refusal isn't repeated`() throws {
      for (status, code) in [
        (400, "InvalidArgument"), (403, "AccessDenied"), (403, "SignatureDoesNotMatch"),
        (405, "MethodNotAllowed"), (501, "NotImplemented"),
      ] {
        let store = try FaultStore()
        store.fail(.reply(status, code), times: 9)
        #expect(throws: S3Error.self) { try store.destination().get("a") }
        #expect(store.requests.count == 1)
      }
    }

    @Test func `refusals say what to do`() throws {
      let cases: [(Int, String, S3Error)] = [
        (403, "AccessDenied", .accessDenied(operation: "read objects", bucket: "bucket")),
        (403, "InvalidAccessKeyId", .credentialsRefused(code: "InvalidAccessKeyId")),
        (400, "ExpiredToken", .credentialsRefused(code: "ExpiredToken")),
        (
          403, "RequestTimeTooSkewed", .clockSkew(storeTime: "Mon, 23 Nov 2026 18:00:00 GMT")
        ),
        (400, "AuthorizationHeaderMalformed", .wrongRegion(expected: nil)),
      ]
      for (status, code, error) in cases {
        let store = try FaultStore()
        store.fail(.reply(status, code))
        #expect(throws: error) { try store.destination().get("a") }
      }
      let store = try FaultStore()
      store.fail(.reply(301, "PermanentRedirect", headers: ["x-amz-bucket-region": "eu-west-1"]))
      #expect(throws: S3Error.wrongRegion(expected: "eu-west-1")) {
        try store.destination().get("a")
      }
    }

    @Test func `a redirection isn't followed`() throws {
      let other = try FaultStore()
      let store = try FaultStore()
      store.fail(.reply(307, "", headers: ["Location": other.endpoint + "/bucket/notes/a"]))
      #expect(throws: S3Error.self) { try store.destination().get("a") }
      #expect(other.requests.isEmpty)
    }

    @Test func `no error and no description has a secret`() throws {
      let store = try FaultStore()
      let destination = try store.destination()
      store.fail(.reply(400, "InvalidArgument"))
      let error = #expect(throws: S3Error.self) { try destination.get("a") }
      #expect(error == .refused(status: 400, code: "InvalidArgument", message: ""))
      let credentials = S3Credentials(
        accessKeyID: "AKTEST", secretAccessKey: "secret-of-test", sessionToken: "token")
      var options = S3Options()
      options.credentials = .fixed(credentials)
      var text = "\(error!) \(destination) \(credentials) \(options) \(String(reflecting: options))"
      dump((destination, credentials, options), to: &text)
      for secret in ["secret-of-test", "token", "AKTEST"] { #expect(!text.contains(secret)) }
      #expect(store.requests.allSatisfy { !$0.target.contains("secret") })
    }

    // MARK: Time

    @Test func `a store that says nothing is given up`() throws {
      let store = try FaultStore()
      store.fail(.stall(20), times: 9)
      let start = ContinuousClock.now
      let error = #expect(throws: S3Error.self) {
        try store.destination {
          $0.requestTimeLimit = 1.5
        }.get("a")
      }
      guard case .timedOut = error else { return #expect(error == nil) }
      #expect(ContinuousClock.now - start < .seconds(6))
    }

    @Test func `a stalled attempt is followed by a further one`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", bytes)
      store.fail(.stall(20))
      #expect(try store.destination { $0.stallTimeLimit = 1 }.get("a") == bytes)
    }

    @Test func `the time that the store asks for passes`() throws {
      let store = try FaultStore()
      store.setObject("notes/a", bytes)
      store.fail(.reply(503, "SlowDown", headers: ["Retry-After": "1"]))
      let start = ContinuousClock.now
      #expect(try store.destination().get("a") == bytes)
      #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func `a store that isn't there is unreachable`() throws {
      let port = try FaultStore().port
      var options = S3Options()
      options.endpoint = "http://127.0.0.1:\(port)"
      options.attempts = 2
      options.credentials = .fixed(S3Credentials(accessKeyID: "a", secretAccessKey: "b"))
      let destination = try S3Destination("s3://bucket", options: options)
      let error = #expect(throws: S3Error.self) { try destination.get("a") }
      guard case .unreachable = error else { return #expect(error == nil) }
    }

    // MARK: Threads

    @Test func `threads share a destination and its connections`() throws {
      let store = try FaultStore()
      let destination = try store.destination()
      let stored = Mutex(0)
      DispatchQueue.concurrentPerform(iterations: 200) { index in
        let isStored = try? destination.putIfAbsent("n/\(index / 2)", Data("\(index)".utf8))
        if isStored == true { stored.withLock { $0 += 1 } }
      }
      #expect(stored.withLock { $0 } == 100)
      #expect(try destination.list("n/").count == 100)
      #expect(store.state.withLock { $0.connections } <= 32)
    }
  }
#endif

#if S3
  import Foundation
  import Synchronization
  import Testing

  @testable import CofferArchive

  /// The object store that the tests are given: see `Scripts/with-moto` and `Scripts/with-radosgw`.
  private enum TestStore {
    static let environment = ProcessInfo.processInfo.environment
    static let endpoint = environment["COFFER_S3_ENDPOINT"]
    static let bucket = environment["COFFER_S3_BUCKET"] ?? "coffer-tests"
    /// moto looks at no signature.
    static let checksSignatures = environment["COFFER_S3_CHECKS_SIGNATURES"] != nil
  }

  @Suite(.enabled(if: TestStore.endpoint != nil, "COFFER_S3_ENDPOINT isn't set"))
  struct S3DestinationTests {

    private let destination: S3Destination

    init() throws { destination = try S3DestinationTests.destination() }

    static func destination(
      _ prefix: String = UUID().uuidString, bucket: String = TestStore.bucket,
      _ configure: (inout S3Options) -> Void = { _ in }
    ) throws -> S3Destination {
      var options = S3Options()
      options.endpoint = TestStore.endpoint
      configure(&options)
      return try S3Destination("s3://\(bucket)/tests/\(prefix)", options: options)
    }

    private func randomBytes(_ count: Int) -> Data {
      var state = UInt64(count) &+ 0x9E37_79B9
      return Data(
        (0..<count).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(truncatingIfNeeded: state >> 56)
        })
    }

    @Test(arguments: [0, 1, 1000, (1 << 20) + 1, 8 << 20])
    func `an object comes back as it was stored`(count: Int) throws {
      let bytes = randomBytes(count)
      #expect(try destination.putIfAbsent("objects/a-1.b", bytes))
      #expect(try destination.get("objects/a-1.b") == bytes)
    }

    @Test func `an object that is there isn't replaced`() throws {
      #expect(try destination.putIfAbsent("a", Data("first".utf8)))
      #expect(try !destination.putIfAbsent("a", Data("second".utf8)))
      #expect(try !destination.putIfAbsent("a", Data("first".utf8)))
      #expect(try destination.get("a") == Data("first".utf8))
    }

    @Test func `the store honours the condition`() throws { try destination.probe() }

    @Test func `there is no object before it is stored, nor after it is deleted`() throws {
      #expect(try destination.get("a") == nil)
      #expect(try destination.putIfAbsent("a", Data("first".utf8)))
      try destination.delete("a")
      try destination.delete("a")
      #expect(try destination.get("a") == nil)
      #expect(try destination.list("") == [])
      #expect(try destination.putIfAbsent("a", Data("second".utf8)))
    }

    @Test func `one of many writers stores an object`() throws {
      let winners = Mutex<[Int]>([])
      let destination = destination
      DispatchQueue.concurrentPerform(iterations: 16) { index in
        let isStored = try? destination.putIfAbsent("a", Data("\(index)".utf8))
        if isStored == true { winners.withLock { $0.append(index) } }
      }
      let winner = winners.withLock { $0 }
      #expect(winner.count == 1)
      #expect(try destination.get("a") == winner.first.map { Data("\($0)".utf8) })
    }

    @Test func `a list has the names with the prefix in the order of their bytes`() throws {
      let names = ["b", "a/10", "a/2", "a-1", "a.1", "A", "a/b/c", "0"]
      for name in names { #expect(try destination.putIfAbsent(name, Data())) }
      let ordered = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      #expect(try destination.list("") == ordered)
      #expect(try destination.list("a") == ordered.filter { $0.hasPrefix("a") })
      #expect(try destination.list("a/") == ordered.filter { $0.hasPrefix("a/") })
      #expect(try destination.list("c") == [])
    }

    @Test func `a list has more than a page of names`() throws {
      let destination = destination
      DispatchQueue.concurrentPerform(iterations: 1003) { index in
        _ = try? destination.putIfAbsent("n/\(index)", Data())
      }
      #expect(try destination.list("n/").count == 1003)
    }

    @Test func `a large object is stored in parts, unless it is there`() throws {
      let bytes = randomBytes((17 << 20) + 3)
      #expect(try destination.putIfAbsent("large", bytes))
      #expect(try destination.get("large") == bytes)
      #expect(try !destination.putIfAbsent("large", randomBytes(17 << 20)))
      #expect(try destination.get("large") == bytes)
    }

    @Test func `a bucket that isn't there is named`() throws {
      let destination = try Self.destination(bucket: "coffer-missing")
      #expect(throws: S3Error.bucketMissing("coffer-missing")) { try destination.get("a") }
      #expect(throws: S3Error.bucketMissing("coffer-missing")) { try destination.list("") }
      #expect(throws: S3Error.bucketMissing("coffer-missing")) {
        try destination.putIfAbsent("a", Data())
      }
    }

    @Test(.enabled(if: TestStore.checksSignatures))
    func `wrong credentials are refused`() throws {
      let key = TestStore.environment["AWS_ACCESS_KEY_ID"] ?? ""
      for (credentials, code) in [
        (S3Credentials(accessKeyID: key, secretAccessKey: "wrong"), "SignatureDoesNotMatch"),
        (S3Credentials(accessKeyID: "unknown", secretAccessKey: "wrong"), "InvalidAccessKeyId"),
      ] {
        let destination = try Self.destination { $0.credentials = .fixed(credentials) }
        #expect(throws: S3Error.credentialsRefused(code: code)) { try destination.get("a") }
        #expect(throws: S3Error.credentialsRefused(code: code)) {
          try destination.putIfAbsent("a", Data("x".utf8))
        }
      }
    }
  }
#endif

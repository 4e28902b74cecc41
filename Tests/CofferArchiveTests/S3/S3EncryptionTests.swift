#if S3
  import Foundation
  import Testing

  @testable import CofferArchive

  /// A server with TLS and a certificate of its own, by OpenSSL's program.
  private final class TLSServer {
    static let program = "/usr/bin/openssl"
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "coffer-tls-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let server = Process()
    private(set) var port = 0

    init(reply: String) throws {
      let file = folder.appending(path: "bucket/a")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(reply.utf8).write(to: file)
      let request = Process()
      request.executableURL = URL(filePath: Self.program)
      request.arguments = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", "key.pem", "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=IP:127.0.0.1",
      ]
      request.currentDirectoryURL = folder
      request.standardError = FileHandle.nullDevice
      try request.run()
      request.waitUntilExit()
      let output = Pipe()
      server.executableURL = URL(filePath: Self.program)
      server.arguments = [
        "s_server", "-accept", "127.0.0.1:0", "-HTTP", "-key", "key.pem", "-cert", certificate,
      ]
      server.currentDirectoryURL = folder
      server.standardInput = Pipe()
      server.standardOutput = output
      server.standardError = FileHandle.nullDevice
      try server.run()
      // "ACCEPT 127.0.0.1:12345"
      var text = ""
      while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
        let bytes = output.fileHandleForReading.availableData
        if bytes.isEmpty { break }
        text += String(decoding: bytes, as: UTF8.self)
      }
      port = try #require(
        text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last
          .flatMap { Int($0) })
    }

    deinit {
      // A child of a thread that blocks signals ignores a gentler one.
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
      try? FileManager.default.removeItem(at: folder)
    }

    var certificate: String { folder.appending(path: "certificate.pem").path }

    func destination(host: String = "127.0.0.1", trusted: Bool) throws -> S3Destination {
      var options = S3Options()
      options.endpoint = "https://\(host):\(port)"
      options.attempts = 2
      options.requestTimeLimit = 10
      options.certificateAuthorities = trusted ? certificate : nil
      options.credentials = .fixed(S3Credentials(accessKeyID: "a", secretAccessKey: "b"))
      return try S3Destination("s3://bucket", options: options) { [:] }
    }
  }

  @Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: TLSServer.program)))
  struct S3EncryptionTests {
    private let server: TLSServer

    init() throws {
      server = try TLSServer(reply: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes")
    }

    @Test func `an authority of one's own can be trusted`() throws {
      #expect(try server.destination(trusted: true).get("a") == Data("bytes".utf8))
    }

    @Test func `an unknown authority's certificate isn't trusted`() throws {
      let error = #expect(throws: S3Error.self) {
        try server.destination(trusted: false).get("a")
      }
      guard case .untrusted = error else { return #expect(error == nil) }
    }

    @Test func `another host's certificate isn't trusted`() throws {
      let error = #expect(throws: S3Error.self) {
        try server.destination(host: "localhost", trusted: true).get("a")
      }
      guard case .untrusted = error else { return #expect(error == nil) }
    }
  }
#endif

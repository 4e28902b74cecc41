#if S3
  import Foundation
  import Synchronization
  import Testing

  @testable import CofferArchive

  @Suite final class S3CredentialsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
      path: "coffer-s3-\(UUID().uuidString)", directoryHint: .isDirectory)

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, to name: String = "credentials") throws -> String {
      let file = folder.appending(path: name)
      try Data(text.utf8).write(to: file, options: .atomic)
      return file.path
    }

    private func profile(_ name: String, _ key: String) -> String {
      "[\(name)]\naws_access_key_id = \(key)\naws_secret_access_key=secret/+=\n"
    }

    private func found(
      _ source: S3CredentialSource, _ environment: [String: String] = [:]
    ) throws -> String {
      try S3CredentialStore(source) { environment }.credentials().accessKeyID
    }

    @Test func `the environment comes first, then systemd's credential, then the shared file`()
      throws
    {
      let shared = try write(profile("default", "shared"))
      var environment = ["AWS_SHARED_CREDENTIALS_FILE": shared]
      #expect(try found(.automatic, environment) == "shared")
      _ = try write(profile("default", "systemd"), to: "s3")
      environment["CREDENTIALS_DIRECTORY"] = folder.path
      #expect(try found(.automatic, environment) == "systemd")
      environment["AWS_ACCESS_KEY_ID"] = "own"
      environment["AWS_SECRET_ACCESS_KEY"] = "secret"
      #expect(try found(.automatic, environment) == "own")
      #expect(try found(.systemd(), environment) == "systemd")
      #expect(try found(.sharedFile(), environment) == "shared")
      #expect(throws: S3Error.self) { try found(.systemd(name: "../credentials"), environment) }
    }

    @Test func `the home folder's file is the shared one`() throws {
      try FileManager.default.createDirectory(
        at: folder.appending(path: ".aws"), withIntermediateDirectories: false)
      _ = try write(profile("default", "home"), to: ".aws/credentials")
      #expect(try found(.automatic, ["HOME": folder.path]) == "home")
    }

    @Test func `a profile's values are those of its section`() throws {
      let text =
        "# comment\r\n; another\r\n[default]\r\naws_access_key_id=first\r\n\r\n[ other ]\r\n"
        + "AWS_ACCESS_KEY_ID = id \r\naws_secret_access_key = a=b \r\naws_session_token=t\r\n"
        + "region = x\r\nempty =\r\n[last]\r\naws_access_key_id=last\r\n"
      let path = try write(text)
      let credentials = try S3CredentialsFile.kept(path: path, profile: "other").credentials
      #expect(
        credentials
          == S3Credentials(accessKeyID: "id", secretAccessKey: "a=b", sessionToken: "t"))
      #expect(
        try found(
          .automatic, ["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "other"]) == "id")
      #expect(throws: S3Error.self) { try found(.sharedFile(path: path)) }
      #expect(throws: S3Error.self) { try found(.sharedFile(path: path, profile: "none")) }
    }

    @Test func `without credentials, the error names what was searched`() {
      let error = #expect(throws: S3Error.self) {
        try found(.automatic, ["HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true"])
      }
      #expect(
        error
          == .noCredentials(
            searched:
              "the environment, the systemd credential \"s3\", /nonexistent/.aws/credentials, "
              + "the roles of a web identity, of a container and of the instance"))
    }

    @Test func `credentials with signs for headers are refused`() throws {
      let path = try write("[default]\naws_access_key_id=a b\naws_secret_access_key=s\n")
      #expect(throws: S3Error.self) { try found(.sharedFile(path: path)) }
      #expect(throws: S3Error.self) {
        try found(
          .environment,
          ["AWS_ACCESS_KEY_ID": "a\r\nx: y", "AWS_SECRET_ACCESS_KEY": "s"])
      }
    }

    @Test func `a changed file is read anew, and a broken one leaves the former credentials`()
      throws
    {
      let path = try write(profile("default", "first"))
      let store = S3CredentialStore(.sharedFile(path: path)) { [:] }
      #expect(try store.credentials().accessKeyID == "first")
      _ = try write(profile("default", "second"))
      #expect(try store.credentials().accessKeyID == "second")
      _ = try write("[default]\naws_acc")
      #expect(try store.credentials().accessKeyID == "second")
      _ = try write(profile("default", "third"))
      #expect(try store.credentials().accessKeyID == "third")
    }

    @Test func `a refused request is sent again with renewed credentials`() throws {
      let store = try FaultStore()
      let path = try write(profile("default", "first"))
      let destination = try store.destination { $0.credentials = .sharedFile(path: path) }
      #expect(try destination.get("a") == nil)
      let (renewed, file) = (profile("default", "second"), folder.appending(path: "credentials"))
      store.state.withLock { $0.requests = [] }
      store.fail(
        .refuse(403, "AccessDenied") { try? Data(renewed.utf8).write(to: file) })
      #expect(try destination.get("a") == nil)
      let keys = store.requests.map { $0.headers["authorization"] ?? "" }
      #expect(keys.count == 2)
      #expect(keys.first?.contains("Credential=first/") == true)
      #expect(keys.last?.contains("Credential=second/") == true)
    }

    @Test func `the environment is read anew after a refusal`() throws {
      let store = try FaultStore()
      let key = Mutex("first")
      let destination = try store.destination({ $0.credentials = .environment }) {
        let current = key.withLock { $0 }
        return ["AWS_ACCESS_KEY_ID": current, "AWS_SECRET_ACCESS_KEY": "s"]
      }
      #expect(try destination.get("a") == nil)
      key.withLock { $0 = "second" }
      store.fail(.reply(403, "InvalidAccessKeyId"))
      #expect(try destination.get("a") == nil)
      #expect(store.requests.last?.headers["authorization"]?.contains("second/") == true)
    }

    @Test func `a session's token is signed and sent`() throws {
      let store = try FaultStore()
      let destination = try store.destination {
        $0.credentials = .fixed(
          S3Credentials(accessKeyID: "a", secretAccessKey: "b", sessionToken: "the-token"))
      }
      #expect(try destination.get("a") == nil)
      let headers = try #require(store.requests.first?.headers)
      #expect(headers["x-amz-security-token"] == "the-token")
      #expect(headers["authorization"]?.contains("x-amz-security-token") == true)
      #expect(headers["authorization"]?.contains("x-amz-content-sha256") == true)
    }
  }
#endif

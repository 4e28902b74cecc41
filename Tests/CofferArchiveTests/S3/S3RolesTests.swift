#if S3
  import CofferTestSupport
  import Foundation
  import Synchronization
  import Testing

  @testable import CofferArchive

  /// Credentials of roles and processes, from services on this machine.
  @Suite struct S3RolesTests {
    /// What must be in no error.
    private static let secret = "secret-of-role"

    private func json(
      _ key: String, expiresIn seconds: Double? = 3_600, _ more: String = "\"Code\":\"Success\""
    ) -> String {
      let date = seconds.map { ",\"Expiration\":\"\((Date() + $0).formatted(.iso8601))\"" } ?? ""
      return
        "{\(more),\"AccessKeyId\":\"\(key)\",\"SecretAccessKey\":\"\(Self.secret)\",\"Token\":\"token\"\(date)}"
    }

    private func credentials(
      _ source: S3CredentialSource, _ environment: [String: String]
    ) throws -> S3Credentials {
      try S3CredentialStore(source) { environment }.credentials()
    }

    /// A service that has the metadata of an instance.
    private func instance(_ reply: String, times: Int = 99) throws -> FaultStore {
      let store = try FaultStore()
      let roles = "/latest/meta-data/iam/security-credentials/"
      store.fail(.body("the-token"), times: 99) {
        $0.method == "PUT" && $0.target == "/latest/api/token"
      }
      store.fail(.body("my role\n"), times: 99) {
        $0.target == roles && $0.headers["x-aws-ec2-metadata-token"] == "the-token"
      }
      store.fail(.body(reply), times: times) {
        $0.target == roles + "my%20role" && $0.headers["x-aws-ec2-metadata-token"] == "the-token"
      }
      return store
    }

    private func ofInstance(_ store: FaultStore) -> [String: String] {
      ["AWS_EC2_METADATA_SERVICE_ENDPOINT": store.endpoint + "/", "HOME": "/nonexistent"]
    }

    // MARK: Roles

    @Test func `an instance's role signs requests, and is asked for with a token alone`() throws {
      let service = try instance(json("role"))
      let store = try FaultStore()
      let environment = ofInstance(service)
      let destination = try store.destination({ $0.credentials = .automatic }) { environment }
      #expect(try destination.get("a") == nil)
      #expect(try destination.get("b") == nil)
      let headers = try #require(store.requests.last?.headers)
      #expect(headers["authorization"]?.contains("Credential=role/") == true)
      #expect(headers["x-amz-security-token"] == "token")
      let asked = service.requests
      #expect(asked.map(\.method) == ["PUT", "GET", "GET"])
      #expect(asked.first?.headers["x-aws-ec2-metadata-token-ttl-seconds"] == "300")
      #expect(asked.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `a machine without an instance's metadata has none, and none is asked if it is off`()
      throws
    {
      let service = try instance(json("role"))
      var environment = ofInstance(service)
      environment["AWS_EC2_METADATA_DISABLED"] = "TRUE"
      #expect(throws: S3Error.self) { try credentials(.automatic, environment) }
      #expect(service.requests.isEmpty)
      let other = try FaultStore()
      other.fail(.reply(404), times: 9)
      let error = #expect(throws: S3Error.self) {
        try credentials(.instance, ofInstance(other))
      }
      #expect(error == .noCredentials(searched: "the instance's metadata"))
    }

    @Test func `a container's role is fetched with the token of its file, which is read anew`()
      throws
    {
      let folder = try TemporaryDirectory()
      defer { withExtendedLifetime(folder) {} }
      let file = folder.path("token")
      try Data("first\n".utf8).write(to: URL(filePath: file))
      let service = try FaultStore()
      service.fail(.body(json("one", expiresIn: 60))) { $0.headers["authorization"] == "first" }
      service.fail(.body(json("two"))) { $0.headers["authorization"] == "second" }
      let environment = [
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": service.endpoint + "/role?x=1",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file,
      ]
      let store = S3CredentialStore(.container) { environment }
      #expect(try store.credentials().accessKeyID == "one")
      try Data("second\n".utf8).write(to: URL(filePath: file))
      #expect(try store.credentials().accessKeyID == "two")
      #expect(service.requests.map(\.target) == ["/role?x=1", "/role?x=1"])
    }

    @Test(arguments: [
      "http://example.com/role", "http://127.0.0.1.example.com/", "http://127.0.0.1@example.com/",
      "http://169.254.170.2.evil/", "ftp://127.0.0.1/", "http://127.0.0.1\\@example.com/",
      "http://[::1/", "file:///etc/passwd", "http://localhost.example.com/",
    ])
    func `a container's token is sent to no other machine in the clear`(url: String) {
      #expect(throws: S3Error.self) {
        try credentials(
          .container,
          [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": url, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t",
            "http_proxy": "http://127.0.0.1:9",
          ])
      }
    }

    @Test func `a web identity's token is exchanged for a role's credentials`() throws {
      let folder = try TemporaryDirectory()
      defer { withExtendedLifetime(folder) {} }
      let file = folder.path("token")
      try Data("the.token+/=".utf8).write(to: URL(filePath: file))
      let service = try FaultStore()
      let date = (Date() + 3_600).formatted(.iso8601)
      service.fail(
        .body(
          "<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>web</AccessKeyId><SecretAccessKey>"
            + "\(Self.secret)</SecretAccessKey><SessionToken>t</SessionToken><Expiration>\(date)</Expiration>"
            + "</Credentials></AssumeRoleWithWebIdentityResponse>"))
      let found = try credentials(
        .automatic,
        [
          "AWS_WEB_IDENTITY_TOKEN_FILE": file, "AWS_ROLE_ARN": "arn:aws:iam::1:role/a b",
          "AWS_ENDPOINT_URL_STS": service.endpoint,
        ])
      #expect(
        found == S3Credentials(accessKeyID: "web", secretAccessKey: Self.secret, sessionToken: "t"))
      let request = try #require(service.requests.first)
      #expect(request.method == "POST" && request.headers["authorization"] == nil)
      let body = String(decoding: request.body, as: UTF8.self)
      #expect(body.contains("Action=AssumeRoleWithWebIdentity&Version=2011-06-15"))
      #expect(body.contains("RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%20b"))
      #expect(body.hasSuffix("WebIdentityToken=the.token%2B%2F%3D"))
    }

    // MARK: A process

    private func profile(_ command: String) throws -> (TemporaryDirectory, [String: String]) {
      let folder = try TemporaryDirectory()
      let config = folder.path("config")
      try Data("[profile own]\ncredential_process = \(command)\n".utf8)
        .write(to: URL(filePath: config))
      return (
        folder,
        ["AWS_CONFIG_FILE": config, "AWS_PROFILE": "own", "HOME": "/nonexistent"]
      )
    }

    @Test func `a profile's process gives credentials`() throws {
      let output = json("process", "\"Version\":1").replacing("\"Token\"", with: "\"SessionToken\"")
      let (folder, environment) = try profile("printf '%s' '\(output)'")
      try withExtendedLifetime(folder) {
        let found = try credentials(.automatic, environment)
        #expect(found.accessKeyID == "process" && found.sessionToken == "token")
      }
      #expect(
        try credentials(.process(command: "printf '%s' '\(output)'"), [:]).accessKeyID
          == "process")
    }

    @Test(arguments: [
      "exit 1", "echo {}", "echo 'not JSON'", "printf '%s' 'OUTPUT'; exit 3",
      "printf '%s' 'OUTPUT' >&2; exit 3", "printf '%s' 'OUTPUT' | tr 1 2",
      "head -c 100000 /dev/zero", "echo '{\"Version\":1,\"AccessKeyId\":\"a\"}'",
    ])
    func `a process that gives none is an error without its secrets`(command: String) throws {
      let output = json("process", "\"Version\":1")
      let error = #expect(throws: S3Error.self) {
        try credentials(.process(command: command.replacing("OUTPUT", with: output)), [:])
      }
      let text = try #require(error).description
      #expect(!text.contains(Self.secret))
    }

    // MARK: Renewal

    @Test func `credentials are renewed before they expire, and kept where that fails`() throws {
      let service = try instance(json("first", expiresIn: 200), times: 1)
      let environment = ofInstance(service)
      let store = S3CredentialStore(.instance) { environment }
      #expect(try store.credentials().accessKeyID == "first")
      // The service is away now, and the credentials are good for a while.
      let asked = service.requests.count
      #expect(try store.credentials().accessKeyID == "first")
      #expect(service.requests.count > asked)
      // It isn't asked by each request.
      let again = service.requests.count
      #expect(try store.credentials().accessKeyID == "first")
      #expect(service.requests.count == again)
    }

    @Test func `what has expired is no credential`() throws {
      let service = try instance(json("old", expiresIn: -10))
      let error = #expect(throws: S3Error.self) {
        try credentials(.instance, ofInstance(service))
      }
      #expect(try #require(error).description.contains("have expired"))
    }

    @Test(arguments: [
      "{\"Code\":\"Failed\",\"Message\":\"secret-of-role\"}", "secret-of-role", "{}", "[]",
      "{\"AccessKeyId\":\"a b\",\"SecretAccessKey\":\"secret-of-role\"}",
      "{\"AccessKeyId\":\"a\",\"SecretAccessKey\":\"secret-of-role\",\"Expiration\":\"soon\"}",
    ])
    func `an answer that is none is an error without its words`(reply: String) throws {
      let service = try instance(reply)
      let error = #expect(throws: S3Error.self) {
        try credentials(.instance, ofInstance(service))
      }
      let text = try #require(error).description
      #expect(!text.contains(Self.secret))
    }

    @Test func `a service that fails says its status, and nothing of what it says`() throws {
      let service = try FaultStore()
      service.fail(.reply(500, "InternalError"), times: 9)
      let error = #expect(throws: S3Error.self) {
        try credentials(
          .container, ["AWS_CONTAINER_CREDENTIALS_FULL_URI": service.endpoint + "/x?key=hidden"])
      }
      let text = error.map(\.description) ?? ""
      #expect(text.contains("500") && !text.contains("secret-of-test") && !text.contains("hidden"))
    }

    // MARK: Headers

    @Test func `layers have the storage class, and all objects the store's encryption`() throws {
      let store = try FaultStore()
      let environment = ["AWS_ENDPOINT_URL": store.endpoint]
      var options = S3Options()
      options.credentials = .fixed(S3Credentials(accessKeyID: "a", secretAccessKey: "b"))
      let address = "s3://bucket/notes?storage-class=STANDARD_IA&sse=aws:kms&sse-kms-key-id=k/1"
      let destination = try S3Destination(address, options: options) { environment }
      for name in ["manifest/1", "log/1", "layer/1-0"] {
        #expect(try destination.putIfAbsent(name, Data("x".utf8)))
      }
      #expect(try destination.putIfAbsent("layer/2-0", Data(count: 17 << 20)))
      let sent = store.requests.filter { $0.headers["x-amz-server-side-encryption"] != nil }
      let classes = sent.filter { $0.headers["x-amz-storage-class"] != nil }
      #expect(sent.count == 4 && classes.count == 2)
      #expect(classes.allSatisfy { $0.key.hasPrefix("notes/layer/") })
      for request in sent {
        #expect(request.headers["x-amz-server-side-encryption"] == "aws:kms")
        #expect(request.headers["x-amz-server-side-encryption-aws-kms-key-id"] == "k/1")
        #expect(request.headers["authorization"]?.contains("x-amz-server-side") == true)
      }
      #expect("\(destination)" == "s3://bucket/notes/ at \(store.endpoint)")
    }

    @Test(arguments: [
      "storage-class=GLACIER", "storage-class=DEEP_ARCHIVE", "storage-class=", "sse=AES", "sse",
      "storage-class=a%20b", "sse-kms-key-id=k", "sse=AES256&sse-kms-key-id=k", "sse=aws:kms&sse=x",
      "", "x=1", "sse=aws:kms&sse-kms-key-id=a b",
    ])
    func `other settings of an address are refused`(query: String) {
      #expect(throws: S3Error.self) { try S3Destination("s3://bucket/notes?" + query) }
    }
  }
#endif

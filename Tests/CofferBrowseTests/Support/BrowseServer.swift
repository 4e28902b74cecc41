import Coffer
import CofferTestSupport
import Foundation
import Glibc
import Synchronization

/// A run of `coffer browse`, whose address is known.
final class BrowseServer: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Whether the tool was built with the trait `Browse`.
  static let isBuilt: Bool = {
    guard let run = Command.run(toolPath, ["browse", "/nonexistent", "--key-file", "/nonexistent"])
    else { return false }
    return !run.output.contains("--traits Browse")
  }()

  static let toolPath =
    ProcessInfo.processInfo.environment["COFFER_TOOL"]
    ?? TestProcess.program("coffer").path

  let port: UInt16
  let token: String
  /// What was printed before the server was there, and its address.
  let greeting: String
  let processIdentifier: pid_t
  private let process: Mutex<Process>
  private let folder: TemporaryDirectory
  private let errorPath: String

  /// Starts the tool in a folder with the key in `key`.
  init(_ arguments: [String], in folder: TemporaryDirectory) throws {
    self.folder = folder
    errorPath = folder.path("browse-\(UUID().uuidString).log")
    try Data().write(to: URL(fileURLWithPath: errorPath))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.toolPath)
    process.arguments = ["browse"] + arguments + ["--key-file", folder.path("key")]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: errorPath)
    try process.run()
    processIdentifier = process.processIdentifier
    var text = ""
    let pattern = /http:\/\/127\.0\.0\.1:([0-9]+)\/\?token=([A-Za-z0-9_-]+)\s/
    while true {
      if let found = text.firstMatch(of: pattern), let port = UInt16(found.1) {
        (self.port, token, greeting) = (port, String(found.2), text)
        break
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty {
        process.waitUntilExit()
        let error = (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? ""
        throw Failure(description: "no server: \(text) \(error)")
      }
      text += String(decoding: more, as: UTF8.self)
    }
    self.process = Mutex(process)
    // It may print on.
    Thread.detachNewThread {
      while !output.fileHandleForReading.availableData.isEmpty {}
    }
  }

  deinit {
    process.withLock { process in
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }
  }

  /// The address with the token.
  var address: String { "http://127.0.0.1:\(port)/?token=\(token)" }

  /// What the process has written to standard error.
  var errorText: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// Sends a signal, waits for the end, and returns the exit code.
  func end(by signal: CInt) -> CInt {
    kill(processIdentifier, signal)
    return process.withLock { process in
      process.waitUntilExit()
      return process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus
    }
  }

  /// A figure of `/proc/PID/status` in bytes, such as `VmHWM`.
  func memory(_ name: String) -> Int {
    let path = "/proc/\(processIdentifier)/status"
    let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return (Int(line?.filter(\.isWholeNumber) ?? "") ?? 0) * 1024
  }

  /// The answer to a request line and headers, to which only `Connection: close` is added.
  func send(_ request: String, _ headers: [String] = [], body: [UInt8] = []) throws -> Answer? {
    let connection = try Connection(port: port)
    let lines = [request] + headers + ["Connection: close", "", ""]
    connection.send(Array(lines.joined(separator: "\r\n").utf8) + body)
    return connection.answer()
  }
}

/// Somebody who has exchanged the token for the cookie.
struct Visitor {
  let server: BrowseServer
  /// `NAME=VALUE`.
  let cookie: String
  /// `/SECRET/`
  let root: String
  /// What the cookie came with.
  let welcome: Answer

  init(_ server: BrowseServer) throws {
    self.server = server
    let answer = try server.send(
      "GET /?token=\(server.token) HTTP/1.1", ["Host: 127.0.0.1:\(server.port)"])
    guard let answer, let cookie = answer["Set-Cookie"]?.split(separator: ";").first,
      let location = answer["Location"], 300..<400 ~= answer.status
    else {
      throw BrowseServer.Failure(
        description: "no cookie: \(answer?.status ?? 0) \(answer?.text.prefix(300) ?? "")")
    }
    self.cookie = String(cookie)
    welcome = answer
    root =
      location.contains("://") ? URL(string: location)?.path(percentEncoded: true) ?? "/" : location
  }

  var headers: [String] { ["Host: 127.0.0.1:\(server.port)", "Cookie: \(cookie)"] }

  /// The page of a path below the root, or of one that begins with a slash.
  func get(_ path: String, _ more: [String] = []) throws -> Answer {
    let address = path.hasPrefix("/") ? path : root + path
    guard let answer = try server.send("GET \(address) HTTP/1.1", headers + more) else {
      throw BrowseServer.Failure(description: "no answer for \(path)")
    }
    return answer
  }

  /// The page that a form leads to.
  func submit(_ path: String, _ fields: KeyValuePairs<String, String>) throws -> Answer {
    let answer = try post(path, fields)
    guard 300..<400 ~= answer.status, let location = answer["Location"] else { return answer }
    return try get(resolve(location))
  }

  /// The answer to a form with the session's value.
  func post(_ path: String, _ fields: KeyValuePairs<String, String>) throws -> Answer {
    let all = [("csrf", try csrf())] + fields.map { ($0.key, $0.value) }
    let body = all.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    return try post(path, body: Array(body.utf8))
  }

  func post(_ path: String, body: [UInt8], _ more: [String] = []) throws -> Answer {
    let lines =
      headers + [
        "Origin: http://127.0.0.1:\(server.port)",
        "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.count)",
      ] + more
    guard let answer = try server.send("POST \(root)\(path) HTTP/1.1", lines, body: body) else {
      throw BrowseServer.Failure(description: "no answer for \(path)")
    }
    return answer
  }

  /// The value that the forms of the pages have.
  func csrf() throws -> String {
    let page = try get("query").text
    let pattern = /name="csrf"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="csrf"/
    guard let found = page.firstMatch(of: pattern), let value = found.1 ?? found.2 else {
      throw BrowseServer.Failure(description: "no csrf in \(page.prefix(500))")
    }
    return String(value)
  }

  /// An address of a page, from its root on.
  func resolve(_ address: String) -> String {
    if let url = URL(string: address), url.host() != nil {
      return url.path(percentEncoded: true)
        + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
    }
    return address.hasPrefix("/") ? address : root + address
  }

  /// The result of a query.
  func query(_ sql: String) throws -> Answer { try submit("query", ["sql": sql]) }
}

/// A text in an address or a form.
func encoded(_ text: String) -> String {
  text.utf8.map { byte in
    switch byte {
    case 48...57, 65...90, 97...122, 45, 46, 95, 126:
      String(UnicodeScalar(byte))
    default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }.joined()
}

/// An encrypted database with its key in a file beside it.
final class BrowsedFile: Sendable {
  let folder: TemporaryDirectory
  let path: String
  let writer: DatabaseQueue

  /// The raw key, as text: it must be in no output.
  static let key = "b0075ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e7"

  init(_ sql: String = "", journalMode: Configuration.JournalModeConfiguration = .wal) throws {
    folder = try TemporaryDirectory()
    path = folder.path("shop.db")
    _ = try folder.write(Self.key + "\n", to: "key")
    var configuration = Configuration()
    configuration.key = try .raw(Self.keyBytes)
    configuration.journalMode = journalMode
    writer = try DatabaseQueue(path: path, configuration: configuration)
    try writer.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  static var keyBytes: [UInt8] {
    stride(from: 0, to: 64, by: 2).map { offset in
      UInt8(key.dropFirst(offset).prefix(2), radix: 16) ?? 0
    }
  }

  func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try writer.write { try $0.execute(sql: sql, arguments: arguments) }
  }

  func serve(_ options: String...) throws -> BrowseServer {
    try BrowseServer([path] + options, in: folder)
  }

  func visit(_ options: String...) throws -> Visitor {
    try Visitor(BrowseServer([path] + options, in: folder))
  }
}

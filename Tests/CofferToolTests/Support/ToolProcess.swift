import Coffer
import CofferTestSupport
import Foundation

/// A finished run of the built tool.
struct ToolRun {
  let code: Int32
  let output: String
  let error: String

  var lines: [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Whether the error is one line that begins with the tool's name.
  var hasOneErrorLine: Bool {
    error.hasPrefix("coffer: ") && error.hasSuffix("\n") && error.filter { $0 == "\n" }.count == 1
  }
}

/// The tool of `COFFER_TOOL`, or the built one beside the test bundle's own executable.
let toolPath =
  ProcessInfo.processInfo.environment["COFFER_TOOL"]
  ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  .deletingLastPathComponent().appendingPathComponent("coffer").path

/// A folder with an encrypted database, its raw key, and two passphrases in files.
///
/// The database has the tables `player` and `note`.
final class Vault: Sendable {
  let folder: TemporaryDirectory
  let path: String

  /// The raw key of every vault, as text: it must be in no output.
  static let marker = "5ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2e75ec2"

  static let playerSQL =
    "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score REAL, photo BLOB)"

  /// Whether the tool is linked to SQLCipher 3.
  static let isSQLCipher3: Bool = {
    let run = try? Vault().runPlain("version")
    return run?.output.contains("(SQLCipher 3") == true
  }()

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("vault.db")
    _ = try folder.write(Self.marker + "\n", to: "key")
    _ = try folder.write("sesame open marker\n", to: "passphrase")
    _ = try folder.write("another marker\n", to: "other")
    let bytes = stride(from: 0, to: 64, by: 2).map { offset -> UInt8 in
      let start = Self.marker.index(Self.marker.startIndex, offsetBy: offset)
      return UInt8(Self.marker[start...].prefix(2), radix: 16) ?? 0
    }
    var configuration = Configuration()
    configuration.key = try .raw(bytes)
    // A single file, as the tool makes them.
    configuration.journalMode = .delete
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { db in
      try db.execute(
        sql: """
          \(Self.playerSQL);
          CREATE TABLE note (id INTEGER PRIMARY KEY, player INTEGER REFERENCES player(id), text TEXT);
          CREATE INDEX note_player ON note(player);
          CREATE VIEW best AS SELECT name FROM player WHERE score > 1;
          INSERT INTO player VALUES (1, 'Arthur Dent', 1.5, x'00ff'), (2, NULL, 3, NULL), (3, '', 0.1, x'');
          """)
    }
    try queue.close()
  }

  /// Runs a command with the options of the key, and the folder as the current one.
  func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> ToolRun {
    try runTool(
      arguments + ["--key-file", "key"], input: input, environment: environment, in: folder)
  }

  /// Runs a command as it is.
  func runPlain(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> ToolRun {
    try runTool(arguments, input: input, environment: environment, in: folder)
  }

  /// Runs a script with bash, in which `$coffer` is the tool.
  func bash(_ script: String) throws -> ToolRun {
    try runProgram(
      "/bin/bash", ["-c", script], input: "", environment: ["coffer": toolPath], in: folder)
  }

  func write(_ text: String, to name: String) throws { _ = try folder.write(text, to: name) }

  func contents(of name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
  }
}

func runTool(
  _ arguments: [String], input: String = "", environment: [String: String] = [:],
  in folder: TemporaryDirectory
) throws -> ToolRun {
  try runProgram(toolPath, arguments, input: input, environment: environment, in: folder)
}

private func runProgram(
  _ path: String, _ arguments: [String], input: String, environment: [String: String],
  in folder: TemporaryDirectory
) throws -> ToolRun {
  let name = UUID().uuidString
  // Files instead of pipes: nothing can block.
  let files = ["in", "out", "error"].map { folder.path(".\(name)-\($0)") }
  defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
  for (file, text) in zip(files, [input, "", ""]) {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  process.standardInput = FileHandle(forReadingAtPath: files[0])
  process.standardOutput = FileHandle(forWritingAtPath: files[1])
  process.standardError = FileHandle(forWritingAtPath: files[2])
  try process.run()
  process.waitUntilExit()
  func text(_ file: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
  }
  return ToolRun(
    code: process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus,
    output: try text(files[1]), error: try text(files[2]))
}

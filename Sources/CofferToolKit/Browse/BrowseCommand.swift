import Coffer
import CofferArchive
import CofferBrowse
import Glibc

extension Tool {
  static let pages: [CommandSpec] = [
    CommandSpec(
      name: "browse", arguments: [ArgumentSpec(name: "FILE", isOptional: true)],
      summary: "show a file, or the commits of an archive, in the browser on this machine",
      details: """
        Nothing is written. The printed address opens one browser, once. It goes on until Ctrl-C or SIGTERM, \
        or until nobody has asked for a page for a while. Commits of an archive are restored to temporary \
        files, encrypted as the database is, which are removed at the end. Needs a tool that was built with \
        the trait Browse.
        """,
      options: OptionSpec.opened + [
        .value(
          "from", "TARGET", "the archive to show instead: a folder, or s3://bucket/prefix", .files),
        .value("port", "N", "the port on 127.0.0.1; by default a free one"),
        .value("idle", "MINUTES", "how long to wait for somebody; by default 30"),
        .value(
          "log", "PATH",
          "a line for each request, without names and values: to the end of a file, or to standard output (-)",
          .files),
      ], run: browse)
  ]

  /// `coffer browse`
  static func browse(_ invocation: Invocation, _ console: Console) throws -> CInt {
    guard BrowseServer.isAvailable else {
      throw ToolError(
        .unavailable,
        "this coffer was built without pages in the browser: install libmicrohttpd-dev, and build it with "
          + "swift build --traits Browse")
    }
    let port = try invocation.number("port", 0...65_535) ?? 0
    let idle = Duration.seconds(60 * (try invocation.number("idle", 1...100_000) ?? 30))
    func run(_ server: BrowseServer, _ opening: Opening) throws {
      let log = try BrowseLog(invocation, opening)
      try Interrupts.handled(by: { server.stop() }, includesTermination: true) {
        do {
          try server.run(port: UInt16(port), idle: idle, log: { log?.add($0) }) { address in
            console.line(address)
            console.error("Open it in a browser on this machine. Ctrl-C ends it.")
          }
        } catch BrowseServer.Failure.portInUse {
          throw ToolError(
            .temporary,
            port == 0
              ? "no port on 127.0.0.1 is free"
              : "port \(port) on 127.0.0.1 can't be had. Leave --port out, and a free one is taken")
        }
      }
    }
    switch (invocation.argument(0), invocation.value("from")) {
    case (let path?, nil):
      let opening = try Opening(invocation, path: path)
      let queue = try opening.open(readonly: true, configure: BrowseServer.prepare)
      try ToolError.naming(path) {
        try run(BrowseServer(file: queue, services: ToolServices()), opening)
      }
    case (nil, let target?): try browseArchive(target, invocation, console, run)
    default:
      throw ToolError(.usage, "browse takes a FILE or --from TARGET: coffer help browse")
    }
    return 0
  }

  private static func browseArchive(
    _ target: String, _ invocation: Invocation, _ console: Console,
    _ run: (BrowseServer, Opening) throws -> Void
  ) throws {
    guard !invocation.has("anchor") else {
      throw ToolError(.usage, "--anchor goes with a FILE, not with --from")
    }
    tellArchiveLog(console)
    let archive = Archive(try archiveDestination(target))
    let opening = try Opening(invocation, path: target)
    let shown = try opening.withArchiveKey { key in
      let cipher = opening.cipher ?? .default
      // A wrong key is told before there is an address.
      _ = try archive.summary(key: key, cipher: cipher)
      return try ToolArchive(name: target, archive: archive, key: key, cipher: cipher)
    }
    defer { Leftovers.remove(shown.folder) }
    try run(BrowseServer(archive: shown, services: ToolServices()), opening)
  }
}

/// An archive whose commits are restored to a folder, which only its owner can read, and which goes
/// with the process.
private struct ToolArchive: BrowsedArchive {
  let name: String
  private let archive: Archive
  private let key: DatabaseKey
  private let cipher: CipherSettings
  let folder: String

  init(name: String, archive: Archive, key: DatabaseKey, cipher: CipherSettings) throws {
    (self.name, self.archive, self.key, self.cipher) = (name, archive, key, cipher)
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/coffer-browse-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolError(
        .cantCreate, "\(parent): \(String(cString: strerror(errno))). Set TMPDIR to another folder")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Leftovers.add(folder)
  }

  func summary() throws -> ArchiveSummary { try archive.summary(key: key, cipher: cipher) }

  func restore(
    at point: ArchivePoint, configure: (inout Configuration) -> Void
  ) throws -> (commit: ArchiveCommit, queue: DatabaseQueue) {
    let path = "\(folder)/\(UInt64.random(in: 0 ... .max)).db"
    for name in names(path) { Leftovers.add(name) }
    do {
      let commit = try archive.restore(to: path, at: point, key: key, cipher: cipher)
      var configuration = Configuration()
      configuration.key = key
      configuration.cipher = cipher
      configure(&configuration)
      return (commit, try DatabaseQueue(path: path, configuration: configuration))
    } catch {
      remove(path)
      throw error
    }
  }

  /// What a restore makes, too, before it is complete.
  private func names(_ path: String) -> [String] {
    [path, path + ".coffer-partial", path + "-keys.coffer-partial"]
  }

  func remove(_ path: String) {
    for name in names(path) { Leftovers.remove(name) }
  }
}

extension Invocation {
  /// A whole number in a range; nil if the option isn't given.
  fileprivate func number(_ option: String, _ range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw ToolError(
        .usage, "--\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

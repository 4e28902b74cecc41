import Coffer
import Foundation

/// Examines the file without its key.
struct Secrecy {
  let list: PackageList
  let database: String
  let passphrase: String
  let output: Output

  /// Searches for readable text, then tries to open the database without its key.
  ///
  /// - Throws: ``Failure`` if either succeeds. The queue is closed afterwards.
  func check(_ queue: DatabaseQueue) throws {
    output.heading("4. What a thief would see")
    let names = try queue.read(wellKnownNames)
    var readings = [Reading("dpkg's list", list.data, names)]
    // This file exists only while the database is open.
    readings.append(Reading("the -wal file", try bytes(of: database + "-wal"), names))
    try queue.close()
    readings.append(Reading("the database", try bytes(of: database), names))
    show(readings, names)
    let leaks = readings.dropFirst().filter { $0.scan.totalCount > 0 }
    guard leaks.isEmpty else {
      throw Failure("Readable text is in \(leaks.map(\.name).joined(separator: " and ")).")
    }
    try tryToOpen()
  }
}

// MARK: Readable text

extension Secrecy {
  private struct Reading {
    let name: String
    let scan: FileScan

    init(_ name: String, _ data: Data, _ texts: [String]) {
      self.name = name
      scan = FileScan(data, for: texts)
    }
  }

  private func bytes(of path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Returns names that are in the file, and too long to occur in random bytes by chance.
  private func wellKnownNames(_ db: Database) throws -> [String] {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM package
        WHERE length(name) >= 8
        GROUP BY name
        ORDER BY (SELECT count(*) FROM needs WHERE neededId = package.id) DESC, name
        LIMIT 5
        """)
    // Every database contains its schema.
    return names.isEmpty ? ["CREATE TABLE"] : names
  }

  private func show(_ readings: [Reading], _ names: [String]) {
    output.text(
      "\(names.count.counting("text")) that it holds, looked for in every byte: "
        + names.joined(separator: ", "))
    var table = TextTable([
      .text("File"), .number("Bytes"), .number("Found"), .number("Bits/byte"),
      .text("It begins with"),
    ])
    for reading in readings { table.append(row(reading)) }
    output.table(table)
    output.text("Noise has 8 bits of information in a byte, text about 5.")
    let start = readings.last?.scan.start ?? Data()
    output.facts([
      ("The database begins with", start.map { String(format: "%02x", $0) }.joined(separator: " "))
    ])
  }

  private func row(_ reading: Reading) -> [String] {
    let scan = reading.scan
    let found = "\(scan.foundTexts) of \(scan.counts.count)"
    return [
      reading.name, scan.size.formatted(),
      scan.totalCount > 0 ? "\(found), \(scan.totalCount.formatted()) times" : found,
      scan.bitsPerByte.text(digits: 2), scan.startAsText,
    ]
  }
}

// MARK: Opening it

extension Secrecy {
  private func tryToOpen() throws {
    let wrong = try refusal(key: .passphrase("open sesame"), "a wrong passphrase")
    let missing = try refusal(key: nil, "no key")
    let count = try packageCount(key: .passphrase(passphrase))
    output.line()
    output.text("Opening the database:")
    output.facts([
      ("A wrong passphrase", wrong), ("No key", missing),
      ("The right passphrase", "It opens, and has \(count.counting("package"))."),
      ("What the file tells", DatabaseFile.inspect(at: database).description),
    ])
  }

  /// Returns the error with which the library refuses to open the file.
  private func refusal(key: DatabaseKey?, _ name: String) throws -> String {
    do {
      _ = try packageCount(key: key)
    } catch {
      return "\(error)"
    }
    throw Failure("With \(name), the file could be read.")
  }

  private func packageCount(key: DatabaseKey?) throws -> Int {
    var configuration = Configuration()
    configuration.key = key
    let queue = try DatabaseQueue(path: database, configuration: configuration)
    return try queue.read { db in try Package.fetchCount(db) }
  }
}

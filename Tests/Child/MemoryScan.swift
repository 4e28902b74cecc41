// Looks for a passphrase, for the keys derived from it, and for rows in the memory of the process.

import CofferCore
import CofferTestSupport
import Foundation

/// Bytes that are in memory only under a mask.
private struct MaskedBytes: Collection {
  let masked: [UInt8]
  let mask: [UInt8]

  init(count: Int, using random: inout SeededGenerator, _ byte: (Int) -> UInt8) {
    let mask = random.bytes(count)
    self.mask = mask
    masked = (0..<count).map { byte($0) ^ mask[$0] }
  }

  /// Printable characters at random.
  init(count: Int, using random: inout SeededGenerator) {
    mask = random.bytes(count)
    masked = mask.map { UInt8.random(in: 0x21...0x7E, using: &random) ^ $0 }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { masked.count }
  func index(after index: Int) -> Int { index + 1 }
  subscript(index: Int) -> UInt8 { masked[index] ^ mask[index] }
}

/// Counts occurrences in the writable memory of the process, including its stacks.
private final class MemoryScanner {
  private let window: UnsafeMutableRawBufferPointer
  private let memory: CInt
  private(set) var scannedBytes = 0
  /// Whether to leave out what a core dump leaves out.
  private let onlyDumped: Bool

  init(onlyDumped: Bool = false) throws {
    self.onlyDumped = onlyDumped
    let size = 1 << 20
    let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { throw ScenarioError("no memory for the scan") }
    window = UnsafeMutableRawBufferPointer(start: start, count: size)
    memory = open("/proc/self/mem", O_RDONLY)
    guard memory >= 0 else { throw ScenarioError("/proc/self/mem can't be read") }
  }

  deinit {
    close(memory)
    munmap(window.baseAddress, window.count)
  }

  func count(_ needles: [(String, MaskedBytes)]) throws -> [(String, Int)] {
    var counts = needles.map { ($0.0, 0) }
    scannedBytes = 0
    for range in try readableRanges() {
      var offset = range.lowerBound
      while offset < range.upperBound {
        let wanted = min(window.count, Int(range.upperBound - offset))
        let got = pread(memory, window.baseAddress, wanted, off_t(offset))
        if got <= 0 { break }
        scannedBytes += got
        for (index, needle) in needles.enumerated() {
          counts[index].1 += occurrences(of: needle.1, in: got, isLast: got < window.count)
        }
        if got < window.count { break }
        // A needle may lie across two windows.
        offset += UInt(got - 256)
      }
    }
    if let base = window.baseAddress { explicit_bzero(base, window.count) }
    return counts
  }

  /// Occurrences that begin in the window, but not in the overlap with the next.
  private func occurrences(of needle: MaskedBytes, in count: Int, isLast: Bool) -> Int {
    var found = 0
    let first = needle[0]
    var position = 0
    let end = isLast ? count - needle.count : count - 257
    while position <= end {
      let rest = end - position + 1
      guard let base = window.baseAddress, let hit = memchr(base + position, CInt(first), rest)
      else { break }
      let start = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
      if needle.indices.allSatisfy({ window[start + $0] == needle[$0] }) { found += 1 }
      position = start + 1
    }
    return found
  }

  /// All memory that is writable, or readable and anonymous, except the scanner's own window.
  private func readableRanges() throws -> [Range<UInt>] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    let own = UInt(bitPattern: window.baseAddress)
    // A line for each mapping, and then lines about it, the last of which has its flags.
    var mappings: [Substring] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "VmFlags:" {
        if onlyDumped, words.contains("dd") { mappings.removeLast() }
      } else if words.first?.hasSuffix(":") == false {
        mappings.append(line)
      }
    }
    return mappings.compactMap { line in
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      // Keys lie in read-only pages without a name; a library's code holds none.
      let isAnonymous = fields.count < 6
      guard ends.count == 2,
        fields[1].hasPrefix("rw") || (fields[1].hasPrefix("r-") && isAnonymous),
        fields.last != "[vvar]"
      else { return nil }
      // The kernel may have joined the window with its neighbours.
      if ends[0] <= own && own < ends[1] {
        return ends[0] < own
          ? ends[0]..<own : (own + UInt(window.count))..<max(ends[1], own + UInt(window.count))
      }
      return ends[0]..<ends[1]
    }
  }
}

/// Counts the rows of a table in what a core dump would contain: after they were inserted, read by
/// another connection, sorted, and after closing.
func scanDump(_ path: String) throws {
  try warmUp()
  var random = SeededGenerator()
  let text = MaskedBytes(count: 24, using: &random)
  let scanner = try MemoryScanner(onlyDumped: true)
  let everything = try MemoryScanner()
  func report(_ label: String) throws {
    let dumped = try scanner.count([("dumped", text)])[0].1
    let all = try everything.count([("all", text)])[0].1
    say("\(label): dumped=\(dumped) all=\(all)")
  }
  do {
    // SQLite puts the text together, so that it is nowhere else.
    let codes = text.map(String.init).joined(separator: ", ")
    let pool = try DatabasePool(path: path, key: .seeded())
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
          WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5000)
            INSERT INTO t SELECT x, x || char(\(codes)) || x FROM c;
          """)
    }
    try report("inserted")
    let sum = "SELECT sum(length(text)) FROM "
    _ = try pool.read { db in try Int.fetchOne(db, sql: sum + "t") }
    try report("read")
    _ = try pool.read { db in
      try Int.fetchOne(db, sql: sum + "(SELECT text FROM t ORDER BY text DESC LIMIT 4000)")
    }
    try report("sorted")
    try pool.close()
  }
  try report("closed")
  // A control: what Swift has is dumped.
  let exposed = Array(text)
  try report("control")
  withExtendedLifetime(exposed) {}
}

/// - Parameter how: `key`, or `preparation` for a passphrase given in GRDB's way.
func scanMemory(_ path: String, how: String) throws {
  // Everything is looked up and allocated once beforehand.
  try warmUp()
  var random = SeededGenerator()
  let passphrase = MaskedBytes(count: 40, using: &random) {
    UInt8(0x21 + ($0 * 37 + 5 * $0 * $0) % 93)
  }
  let scanner = try MemoryScanner()
  // A control: bytes that lie in memory unmasked are found.
  let control = MaskedBytes(count: 40, using: &random)
  let exposed = Array(control)

  func report(_ label: String, _ needles: [(String, MaskedBytes)]) throws {
    let counts = try scanner.count(needles)
    say(label + ": " + counts.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
  }
  try report("before", [("control", control), ("passphrase", passphrase)])
  withExtendedLifetime(exposed) {}

  var needles = [("passphrase", passphrase)]
  do {
    let databaseKey = DatabaseKey.passphrase(bytes: passphrase)
    try report("key", needles)
    do {
      var configuration = Configuration()
      if how == "key" { configuration.key = databaseKey }
      if how == "preparation" {
        configuration.prepareDatabase { db in
          var bytes = [UInt8](passphrase)
          defer { for index in bytes.indices { bytes[index] = 0 } }
          try bytes.withUnsafeMutableBytes { buffer in
            try db.usePassphrase(
              Data(bytesNoCopy: buffer.baseAddress!, count: buffer.count, deallocator: .none))
          }
        }
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      // The file's derived key, masked at once.
      try queue.inDatabase { db in
        needles += try secrets(path: path, key: databaseKey, using: &random)
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)")
        for number in 0..<100 {
          try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
        }
      }
      try report("open", needles)
      try queue.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
      try queue.close()
      try report("closed", needles)
    }
  }
  try report("released", needles)
  // The same for a wrong key, whose failure is diagnosed.
  do {
    let other = MaskedBytes(count: 40, using: &random)
    do {
      _ = try DatabaseQueue(path: path, key: .passphrase(bytes: other))
      say("a wrong key opens it")
    } catch {}
    try report("refused", [("passphrase", other)])
  }
  say("done \(scanner.scannedBytes)")
}

private func secrets(
  path: String, key: DatabaseKey, using random: inout SeededGenerator
) throws -> [(String, MaskedBytes)] {
  guard case .encryptedOrUnknown(let salt) = DatabaseFile.inspect(at: path).kind else {
    throw ScenarioError("no salt")
  }
  guard let derived = try DerivedKey.derive(from: key, salt: salt, settings: .default) else {
    throw ScenarioError("no libcrypto")
  }
  let raw = derived.key.withUnsafeBytes { bytes in
    MaskedBytes(count: 32, using: &random) { bytes[$0] }
  }
  func digit(_ index: Int, _ ten: UInt8) -> UInt8 {
    let byte = raw[index / 2]
    let nibble = index % 2 == 0 ? byte >> 4 : byte & 15
    return nibble < 10 ? 0x30 + nibble : ten + nibble - 10
  }
  return [
    ("derived", raw),
    ("hex", MaskedBytes(count: 64, using: &random) { digit($0, UInt8(ascii: "a")) }),
    ("HEX", MaskedBytes(count: 64, using: &random) { digit($0, UInt8(ascii: "A")) }),
  ]
}

private func warmUp() throws {
  let queue = try DatabaseQueue()
  try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
  try queue.close()
}

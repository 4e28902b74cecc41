/// A list as a transaction has read it: the identifiers, each followed by a comma, by their length
/// and hash.
struct ListRead: Equatable, Sendable {
  var key: Int
  var length: Int
  var hash: UInt64

  init(key: Int, length: Int, hash: UInt64) {
    self.key = key
    self.length = length
    self.hash = hash
  }

  init(key: Int, text: String) {
    let hash = TextHash(text)
    self.init(key: key, length: hash.length, hash: hash.value)
  }
}

/// The hash (FNV-1a) of a text that grows.
struct TextHash: Sendable {
  private(set) var length = 0
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ text: String = "") { append(text) }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      length += bytes.count
    }
  }
}

/// A transaction as its process has noted it.
struct HistoryEntry: Sendable {
  enum Outcome: String, Sendable {
    case committed, aborted
    /// The process was killed before it noted the end.
    case unknown
  }

  /// Unique; it is what the transaction appends to lists.
  var id: Int
  /// Nanoseconds of the system's monotonic clock, before the access.
  var begin: UInt64
  /// After the access has returned.
  var end: UInt64 = .max
  var outcome = Outcome.unknown
  /// The lists to which it appends; none for a read.
  var appends: [Int] = []
  /// The number of the commit that it writes; for a read, of the last commit that it sees.
  var number = 0
  /// What it has read before it wrote.
  var reads: [ListRead] = []

  var isWrite: Bool { !appends.isEmpty }

  /// What is noted before the access.
  var beginning: String { "b \(id) \(begin) \(appends.map(String.init).joined(separator: ","))" }

  /// What is noted after it.
  var ending: String {
    let reads = reads.map { "\($0.key):\($0.length):\($0.hash)" }.joined(separator: ",")
    return "e \(id) \(end) \(outcome.rawValue) \(number) \(reads)"
  }
}

/// All transactions of several processes, and what the file contains at the end.
struct History: Sendable {
  var entries: [HistoryEntry] = []
  /// The identifiers of writes, by the number of the commit.
  var commits: [Int: Int] = [:]
  /// The number of the last commit.
  var last = 0
  /// The lists, as texts.
  var lists: [Int: String] = [:]

  /// Adds what a process has noted. A line that isn't complete is left out: it was killed then.
  mutating func add(notes: String) {
    var open: [Int: HistoryEntry] = [:]
    var lines = notes.split(separator: "\n", omittingEmptySubsequences: false)
    lines.removeLast()
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count > 3, let id = Int(words[1]), let time = UInt64(words[2]) else { continue }
      if words[0] == "b" {
        var entry = HistoryEntry(id: id, begin: time)
        entry.appends = words[3].split(separator: ",").compactMap { Int($0) }
        open[id] = entry
      } else if var entry = open.removeValue(forKey: id), words.count > 5 {
        entry.end = time
        entry.outcome = HistoryEntry.Outcome(rawValue: words[3]) ?? .unknown
        entry.number = Int(words[4]) ?? -1
        entry.reads = words[5].split(separator: ",").compactMap { ListRead(noted: $0) }
        entries.append(entry)
      }
    }
    entries += open.values
  }
}

extension ListRead {
  fileprivate init?(noted text: Substring) {
    let parts = text.split(separator: ":")
    guard parts.count == 3, let key = Int(parts[0]), let length = Int(parts[1]),
      let hash = UInt64(parts[2])
    else { return nil }
    self.init(key: key, length: length, hash: hash)
  }
}

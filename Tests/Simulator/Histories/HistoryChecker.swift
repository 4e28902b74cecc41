/// Compares a history with a single order of all commits.
///
/// Each write has noted the number of its commit. The lists are written again in the order of these
/// numbers, and each transaction must have read what was there at its place: all lists from one
/// state. Whoever began after a write had returned must have its place behind it.
struct HistoryChecker {
  private let history: History
  private let byID: [Int: HistoryEntry]
  /// Each list's length and hash after the commits that have changed it.
  private var versions: [Int: [(number: Int, text: TextHash)]] = [:]
  private(set) var violations: [String] = []

  /// Checks a history.
  init(_ history: History) {
    self.history = history
    byID = Dictionary(history.entries.map { ($0.id, $0) }) { first, _ in first }
    if byID.count != history.entries.count { violations.append("an identifier is used twice") }
    checkCommits()
    replay()
    for entry in history.entries where entry.outcome == .committed { checkReads(entry) }
    checkTimes()
  }

  private func name(_ entry: HistoryEntry) -> String {
    "\(entry.isWrite ? "write" : "read") \(entry.id) at \(entry.number)"
  }

  /// The numbers have no gaps, and are those of acknowledged commits.
  private mutating func checkCommits() {
    if Set(history.commits.keys) != Set(1..<(history.last + 1)) {
      violations.append("the numbers of the commits aren't 1 to \(history.last)")
    }
    var seen: Set<Int> = []
    for (number, id) in history.commits {
      if !seen.insert(id).inserted { violations.append("write \(id) has two commits") }
      guard let entry = byID[id] else {
        violations.append("commit \(number) is of a write that nobody has begun: \(id)")
        continue
      }
      if entry.outcome == .aborted {
        violations.append("write \(id) was rolled back, and is commit \(number)")
      }
    }
    for entry in history.entries where entry.isWrite && entry.outcome == .committed {
      if history.commits[entry.number] != entry.id {
        violations.append("\(name(entry)) was acknowledged, and is missing")
      }
    }
  }

  /// Writes the lists in the order of the commits, and compares them with the file's.
  private mutating func replay() {
    var texts: [Int: String] = [:]
    for number in history.commits.keys.sorted() {
      guard let id = history.commits[number], let entry = byID[id] else { continue }
      for key in entry.appends {
        texts[key, default: ""] += "\(id),"
        var text = versions[key]?.last?.text ?? TextHash()
        text.append("\(id),")
        versions[key, default: []].append((number, text))
      }
    }
    for key in Set(texts.keys).union(history.lists.keys).sorted()
    where texts[key] ?? "" != history.lists[key] ?? "" {
      violations.append("list \(key) is \(explain(history.lists[key] ?? "", texts[key] ?? ""))")
    }
  }

  private func explain(_ seen: String, _ expected: String) -> String {
    let seen = seen.split(separator: ",").compactMap { Int($0) }
    let expected = expected.split(separator: ",").compactMap { Int($0) }
    let lost = Set(expected).subtracting(seen).sorted()
    let more = Set(seen).subtracting(expected).sorted()
    if lost.isEmpty && more.isEmpty { return "in another order than the commits" }
    return "without \(lost.prefix(5)), with \(more.prefix(5)) that no commit has"
  }

  /// The list after a commit.
  private func version(_ key: Int, after number: Int) -> TextHash {
    guard let versions = versions[key] else { return TextHash() }
    var low = 0
    var high = versions.count
    while low < high {
      let middle = (low + high) / 2
      if versions[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? TextHash() : versions[low - 1].text
  }

  /// All lists that a transaction has read are those of one state: the one at its place.
  private mutating func checkReads(_ entry: HistoryEntry) {
    let place = entry.isWrite ? entry.number - 1 : entry.number
    if place < 0 || place > history.last {
      violations.append("\(name(entry)) has a place that doesn't exist")
    }
    for read in entry.reads {
      let expected = version(read.key, after: place)
      if read.length == expected.length && read.hash == expected.value { continue }
      let other = versions[read.key]?.first {
        $0.text.length == read.length && $0.text.value == read.hash
      }
      let what =
        read.length == 0
        ? "as it was empty" : other.map { "as of commit \($0.number)" } ?? "as it never was"
      violations.append("\(name(entry)) has read list \(read.key) \(what)")
    }
  }

  /// Nobody misses what was acknowledged before, and nobody sees what is begun later.
  private mutating func checkTimes() {
    let writes = history.entries.filter { $0.isWrite && $0.outcome == .committed }
      .sorted { $0.end < $1.end }
    // The greatest number of all writes that have returned so far.
    var greatest: [(end: UInt64, number: Int)] = []
    for write in writes {
      greatest.append((write.end, max(write.number, greatest.last?.number ?? 0)))
    }
    for entry in history.entries where entry.outcome == .committed {
      let place = entry.isWrite ? entry.number - 1 : entry.number
      var low = 0
      var high = greatest.count
      while low < high {
        let middle = (low + high) / 2
        if greatest[middle].end < entry.begin { low = middle + 1 } else { high = middle }
      }
      if low > 0, greatest[low - 1].number > place {
        violations.append(
          "\(name(entry)) doesn't see commit \(greatest[low - 1].number), acknowledged before it began"
        )
      }
      if let id = history.commits[place], let seen = byID[id], seen.begin > entry.end {
        violations.append("\(name(entry)) sees commit \(place), which began after its end")
      }
    }
  }
}

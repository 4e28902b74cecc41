/// Shows that the checker accepts a right history, and that it finds what is wrong in others.
enum HistorySelfCheck {
  private static func read(_ key: Int, _ ids: [Int]) -> ListRead {
    ListRead(key: key, text: ids.map { "\($0)," }.joined())
  }

  private static func entry(
    _ id: Int, _ times: ClosedRange<UInt64>, appends: [Int] = [], number: Int,
    reads: [ListRead] = [], _ outcome: HistoryEntry.Outcome = .committed
  ) -> HistoryEntry {
    HistoryEntry(
      id: id, begin: times.lowerBound, end: outcome == .unknown ? .max : times.upperBound,
      outcome: outcome, appends: appends, number: number, reads: reads)
  }

  /// Two lists, three commits, a rolled-back write, a read, and a write whose process was killed.
  private static var right: History {
    var history = History()
    history.entries = [
      entry(10, 1...2, appends: [1, 2], number: 1, reads: [read(1, []), read(2, [])]),
      entry(11, 3...6, appends: [1], number: 2, reads: [read(1, [10]), read(2, [10])]),
      entry(12, 4...5, appends: [2], number: 0, .aborted),
      entry(13, 5...9, number: 2, reads: [read(1, [10, 11]), read(2, [10])]),
      entry(14, 7...7, appends: [1, 2], number: 0, .unknown),
      entry(15, 7...7, appends: [1, 2], number: 0, .unknown),
    ]
    history.commits = [1: 10, 2: 11, 3: 14]
    history.last = 3
    history.lists = [1: "10,11,14,", 2: "10,14,"]
    return history
  }

  private static func wrong(_ change: (inout History) -> Void) -> History {
    var history = right
    change(&history)
    return history
  }

  private static var wrongs: [(name: String, history: History, message: String)] {
    [
      (
        "a lost update",
        wrong {
          $0.entries[1].reads = [read(1, []), read(2, [])]
          $0.lists[1] = "11,14,"
        }, "without [10]"
      ),
      (
        "a write that has read an old list", wrong { $0.entries[1].reads[0] = read(1, []) },
        "write 11 at 2 has read list 1 as it was empty"
      ),
      (
        "a torn snapshot", wrong { $0.entries[3].reads = [read(1, [10, 11]), read(2, [])] },
        "read 13 at 2 has read list 2 as it was empty"
      ),
      (
        "a dirty read", wrong { $0.entries[3].reads[1] = read(2, [10, 12]) },
        "read 13 at 2 has read list 2 as it never was"
      ),
      (
        "a rolled-back write that stays", wrong { $0.lists[2] = "10,12,14," },
        "with [12] that no commit has"
      ),
      (
        "a rolled-back write with a commit", wrong { $0.commits[3] = 12 },
        "write 12 was rolled back"
      ),
      (
        "a read that is stale after an acknowledged commit",
        wrong {
          $0.entries[3].begin = 8
          $0.entries[3].number = 1
          $0.entries[3].reads[0] = read(1, [10])
        }, "doesn't see commit 2"
      ),
      (
        "a write whose place is before one that was acknowledged",
        wrong {
          $0.entries[0] = entry(10, 7...8, appends: [1, 2], number: 1, reads: [read(1, [])])
        }, "doesn't see commit 2"
      ),
      (
        "a lost commit",
        wrong {
          $0.commits = [1: 10, 2: 14]
          $0.last = 2
          $0.lists = [1: "10,14,", 2: "10,14,"]
        }, "write 11 at 2 was acknowledged, and is missing"
      ),
      (
        "half a killed write", wrong { $0.lists[2] = "10," }, "list 2 is without [14]"
      ),
      (
        "another half of a killed write", wrong { $0.lists[2] = "10,14,15," },
        "with [15] that no commit has"
      ),
      (
        "lists in two orders", wrong { $0.lists[1] = "11,10,14," }, "in another order"
      ),
      ("a number that is missing", wrong { $0.commits[2] = nil }, "aren't 1 to 3"),
      (
        "two writes with one number",
        wrong { $0.entries.append(entry(16, 8...9, appends: [3], number: 2)) },
        "write 16 at 2 was acknowledged, and is missing"
      ),
      (
        "a read of what is begun later", wrong { $0.entries[1].begin = 10 }, "began after its end"
      ),
    ]
  }

  /// - Returns: The number of wrong histories that were found out.
  static func run() throws -> Int {
    let violations = HistoryChecker(right).violations
    try require(violations.isEmpty, "self-check: a right history is rejected: \(violations)")
    for (name, history, message) in wrongs {
      let violations = HistoryChecker(history).violations
      try require(
        violations.contains { $0.contains(message) },
        "self-check: \(name) isn't found (\(message)): \(violations)")
    }
    var noted = History()
    for entry in right.entries {
      let isKilled = entry.outcome == .unknown
      noted.add(
        notes: entry.beginning + "\n" + (isKilled ? "e \(entry.id) 9" : entry.ending + "\n"))
    }
    noted.commits = right.commits
    noted.last = right.last
    noted.lists = right.lists
    let unread = HistoryChecker(noted).violations
    try require(
      unread.isEmpty && noted.entries.count == right.entries.count,
      "self-check: a history that was noted is another one: \(unread)")
    return wrongs.count
  }
}

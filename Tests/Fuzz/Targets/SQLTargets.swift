#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferSQLite

  private let sqlSeeds = [
    "SELECT * FROM t WHERE a IN (?) AND b NOT IN (:list, 'x''y', (?3)) OR c IN (1, @one, $two)",
    "SELECT a, (SELECT count(*) FROM t WHERE b IN (?1, ?2)) FROM t -- comment, IN (?)\n WHERE a = ?",
    "DELETE FROM t WHERE (a, b) IN (VALUES (1, ?)) OR \"a\" IN (?, [b], `c`) /* IN (? */",
    "UPDATE t SET a = x'00ff', b = 1.5e-3, c = 0x1F WHERE a IN (((?))) AND c BETWEEN ? AND ?;",
    "WITH r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT ?) SELECT * FROM r WHERE x IN (?, 3)",
    "INSERT INTO t SELECT * FROM t WHERE a IN (max(?, 2), ?) ON CONFLICT DO NOTHING",
    "PRAGMA main.key = 'secret'; ATTACH 'file:x?key=y' AS z KEY ?; VACUUM INTO :file",
    "SELECT CASE WHEN a IN (?) THEN 'yes' ELSE \"no\" END FROM t WHERE b->>'$.x' IN (?) || c",
    "EXPLAIN QUERY PLAN SELECT ?1, ?2, :n, $a::b(c), #x FROM t WHERE a IS NOT ? COLLATE NOCASE",
  ]

  private let sqlWords = [
    "IN (", " IN (?", ", ?", "NOT IN", "SELECT ", "VALUES", "WITH ", "(", ")", "'", "\"", "[", "]",
    "`",
    "--", "/*", "*/", ";", "?1", "?999", "?0", "?99999999999999999999", ":a", "@a", "$a::b(c)",
    "x'",
    "0x", "1e", "1.", ".5", "_", "\u{FEFF}", "\u{E9}", "\0", "count(*)", "max(?)", " OVER ()",
    "->>",
    " UNION ALL ", "coffer_array", "PRAGMA ", "key", "=", "||", "!=", "#", "\n", "\u{0B}", "\u{0C}",
  ]

  /// Each byte up to the first NUL belongs to one token; and what is made of tokens doesn't trap.
  final class TokenizerTarget: FuzzTarget {
    static let name = "tokenizer"
    static let share = 25.0

    let seeds = sqlSeeds.map { Array($0.utf8) }
    let words = sqlWords

    init(_ files: ScratchFolder) {}

    func run(_ input: [UInt8]) throws -> Int {
      var shape = Shape()
      var end = 0
      try input.withUnsafeBufferPointer { bytes in
        for token in SQLTokenizer(bytes) {
          try expect(
            token.range.lowerBound == end && !token.range.isEmpty,
            "a token at \(token.range) follows byte \(end)")
          end = token.range.upperBound
          if end < 64 || token.kind == .illegal { shape.add(token.kind.hashValue) }
        }
        let stop = bytes.firstIndex(of: 0) ?? bytes.count
        try expect(end == stop, "the tokens end at \(end), and the text at \(stop)")
      }
      let sql = SQLString(text(input))
      let isBlank = sql.isBlank()
      try expect(
        !isBlank || sql.trimmed.isEmpty || !sql.holdsKey, "a text without a statement has a key")
      _ = (sql.isWithoutData, sql.bindsKey, sql.excerpt(at: input.count / 2))
      let redacted = sql.redacted
      // What is hidden stays hidden when it is written again. Nothing behind a NUL is shown.
      if sql.holdsKey, !redacted.utf8.elementsEqual(sql.string.utf8.prefix { $0 != 0 }) {
        try expect(redacted.hasSuffix("…(redacted)"), "a redacted text ends as \(redacted)")
      }
      _ = SQLString.redactedMessage("near \"\(sql.string)\": syntax error", code: .SQLITE_ERROR)
      _ = SQLString.redactedMessage("abort at 7 in [\(sql.string)]: x", code: .SQLITE_CONSTRAINT)
      return shape.kind
    }
  }

  /// A statement that takes arrays has the same parameters, elements and surroundings; and it
  /// compiles if the one without does.
  final class RewriterTarget: FuzzTarget {
    static let name = "rewriter"
    static let share = 15.0

    let seeds = sqlSeeds.map { Array($0.utf8) }
    let words = sqlWords
    private let queue: DatabaseQueue

    init(_ files: ScratchFolder) throws {
      queue = try DatabaseQueue()
      try queue.inDatabase { db in
        try db.execute(sql: "CREATE TABLE t (a INTEGER, b TEXT COLLATE NOCASE, c)")
        try db.arrays.prepareModule()
      }
    }

    func run(_ input: [UInt8]) throws -> Int {
      let sql = text(input)
      let source = ArrayArgumentRewriter(sql)
      try expect(SQLString(source.sql.string) == SQLString(sql), "the source was changed")
      try expect(
        SQLString(try source.rewrite(arrays: [])) == SQLString(sql), "nothing became something")
      var shape = Shape()
      shape.add(source.parameters.count)
      for list in source.lists { shape.add(list.elements.count << 1 | (list.isWellFormed ? 1 : 0)) }
      let indices = Set(source.parameters.map(\.index)).sorted()
      // Some of the parameters, as the input says.
      let choice = input.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) } >> 7
      let chosen = indices.enumerated().filter { choice >> UInt64($0.offset % 48) & 1 == 1 }
      let arrays = Set(chosen.map(\.element))
      guard !arrays.isEmpty else { return shape.kind }
      let rewritten: String
      do { rewritten = try source.rewrite(arrays: arrays) } catch {
        shape.add("\(error.reason)")
        try expect(error.range.upperBound <= sql.utf8.count, "the error is outside of the text")
        return shape.kind
      }
      try checkSurroundings(source, rewritten, arrays)
      let firstWord = sql.utf8.prefix(6).map { $0 | 0x20 }
      // Others can do something while they are compiled.
      guard ["select", "delete", "update", "insert"].contains(text(firstWord)) else {
        return shape.kind
      }
      try queue.inDatabase { db in
        guard let statement = try? db.makeStatement(sql: sql) else { return }
        shape.add(1)
        let parameters = ArrayArgumentRewriter.parameters(in: rewritten)
        try expect(
          parameters.map(\.index) == source.parameters.map(\.index)
            && parameters.map(\.name) == source.parameters.map(\.name),
          "other parameters: \(rewritten)")
        do {
          let other = try db.makeStatement(sql: rewritten)
          try expect(other.columnCount == statement.columnCount, "other columns: \(rewritten)")
        } catch let error as DatabaseError {
          // More terms, variables or levels than SQLite allows.
          let message = error.message ?? ""
          let isLimit = message.contains("too ") || message.contains("limit")
          try expect(isLimit, "\(message): \(rewritten)")
        }
      }
      return shape.kind
    }

    /// What is before the first list and behind the last one is as it was, and each element is
    /// there.
    private func checkSurroundings(
      _ source: ArrayArgumentRewriter, _ rewritten: String, _ arrays: Set<Int>
    ) throws {
      let positions = source.parameters.filter { arrays.contains($0.index) }.compactMap(\.list)
      let lists = Set(positions).map { source.lists[$0] }.filter(\.isWellFormed)
      let ranges = lists.flatMap { $0.elements.map(\.range) }
      let before = Array(source.sql.string.utf8)
      let after = Array(rewritten.utf8)
      guard let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max()
      else { return try expect(before == after, "a text without lists was changed") }
      try expect(after.starts(with: before[..<first]), "the beginning was changed: \(rewritten)")
      let end = before[last...]
      try expect(after.suffix(end.count) == end, "the end was changed: \(rewritten)")
    }
  }
#endif

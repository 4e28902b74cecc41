#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferVault
  import Foundation

  /// The cells of a page that is taken for a sound one are in the page, apart from each other, and
  /// their records can be read.
  final class BTreeTarget: FuzzTarget {
    static let name = "btree"
    static let share = 12.0
    static let largestInput = 1025

    let seeds: [[UInt8]]

    init(_ files: ScratchFolder) throws {
      let sample = try SampleDatabase(files)
      seeds = stride(from: 0, to: sample.pages.count, by: 1024).map { start in
        [start == 0 ? 1 : 2] + sample.pages[start..<(start + 1024)]
      }
    }

    func run(_ input: [UInt8]) throws -> Int {
      let flags = input.first ?? 0
      let bytes = Array(input.dropFirst())
      let usable = 1024 - SampleDatabase.settings.reservedSize
      var shape = Shape()
      let page = BTreePage(
        number: flags & 1 == 1 ? 1 : 2, bytes: bytes, usableSize: usable,
        isExact: flags & 2 == 2)
      guard let page else { return 0 }
      shape.add(Int(page.kind.rawValue))
      shape.add(magnitude(page.cells.count))
      var record = SalvagedRecord()
      var end = 0
      for cell in page.cells.sorted(by: { $0.local.lowerBound < $1.local.lowerBound }) {
        try expect(
          cell.local.isEmpty || cell.local.lowerBound >= end && cell.local.upperBound <= usable,
          "a cell's record is at \(cell.local)")
        if !cell.local.isEmpty { end = cell.local.upperBound }
        try expect(
          cell.local.count <= cell.payloadSize, "\(cell.local.count) of \(cell.payloadSize) bytes")
        let isWhole = cell.overflow == 0
        guard record.load(bytes, cell.local, isPartial: !isWhole) else { continue }
        shape.add(magnitude(record.fields.count))
        for field in record.fields {
          let range = record.range(of: field)
          try expect(
            field.size == 0
              || cell.local.contains(range.lowerBound)
                && range.upperBound <= cell.local.upperBound,
            "a field is at \(range)")
          _ = record.integer(field)
          if field.type == 7 { _ = record.real(field) }
          for encoding in TextEncoding.allCases { _ = record.text(field, encoding) }
        }
      }
      return shape.kind
    }
  }

  /// Each changed page of an encrypted file is found, and no other.
  final class CipherFileTarget: FuzzTarget {
    static let name = "cipher-file"
    static let share = 2.0
    static let largestInput = 24_576

    let seeds: [[UInt8]]
    private let genuine: [UInt8]
    private let files: ScratchFolder
    private var count = 0

    init(_ files: ScratchFolder) throws {
      self.files = files
      genuine = try SampleDatabase(files).file
      seeds = [genuine, Array(genuine.prefix(3000)), Array(genuine.prefix(8192))]
    }

    func run(_ input: [UInt8]) throws -> Int {
      try files.write("file.db", input)
      let settings = SampleDatabase.settings
      guard
        let file = try CipherFile(
          path: files.path("file.db"), key: SampleDatabase.derived, settings: settings)
      else { throw Finding("there is no libcrypto") }
      let pageSize = settings.pageSize
      func page(_ bytes: [UInt8], _ number: Int) -> ArraySlice<UInt8> {
        // The salt and the padding behind the code aren't authenticated.
        let end = number * pageSize - settings.reservedSize + 16 + settings.hmacSize
        let start = number == 1 ? 16 : (number - 1) * pageSize
        return end <= bytes.count && number * pageSize <= bytes.count ? bytes[start..<end] : []
      }
      func isGenuine(_ number: Int) -> Bool {
        let mine = page(input, number)
        return !mine.isEmpty && mine == page(genuine, number)
      }
      var count = input.count / pageSize
      if count > 0, isGenuine(1) { count = min(count, genuine.count / pageSize) }
      let changed = (0..<count).map { $0 + 1 }.filter { !isGenuine($0) }
      let found = try file.verifyAll()
      try expect(found == changed, "found \(found), but changed are \(changed)")
      var shape = Shape()
      shape.add(count)
      shape.add(changed.count)
      if let header = try file.header() { shape.add(header.pageCount ?? -1) }
      self.count += 1
      if self.count % 64 == 0 { try checkDiagnosis(input, changed, count) }
      return shape.kind
    }

    /// A file with an authentic page never has a wrong key.
    private func checkDiagnosis(_ input: [UInt8], _ changed: [Int], _ count: Int) throws {
      do {
        let queue = try DatabaseQueue(
          path: files.path("file.db"), configuration: SampleDatabase.configuration())
        try queue.close()
      } catch let error as DatabaseError {
        let isKeyKnown = changed.count < count && input.starts(with: SampleDatabase.salt)
        switch error.cipherDiagnosis {
        case .wrongKey, .keyRequired, .wrongSalt, .wrongKeyOrDamaged, .olderFormat, .replaced:
          try expect(!isKeyKnown, "\(error) with \(changed.count) of \(count) pages changed")
        case .notEncrypted:
          try expect(input.starts(with: SQLiteHeader.magic), "\(error)")
        case .damaged, .truncated, nil: break
        }
      }
    }
  }

  /// A database whose pages are authentic, but have other content than SQLite writes.
  final class PagesTarget: FuzzTarget {
    static let name = "pages"
    static let share = 1.0
    static let largestInput = 20_481

    let seeds: [[UInt8]]
    let words = [
      "CREATE TABLE ", "INTEGER PRIMARY KEY", "WITHOUT ROWID", "sqlite_", "note", "keyed", "view",
      "trigger", "SQLite format 3\0", ")", "; DROP TABLE note", "\u{5}\0\0\0", "\u{D}\0\0\0",
      "\u{2}\0\0\0", "\u{A}\0\0\0", "\0\0\0\u{2}",
    ]
    private let files: ScratchFolder
    private let forge: PageForge

    init(_ files: ScratchFolder) throws {
      self.files = files
      forge = try PageForge(SampleDatabase.settings)
      let samples = try ["", "PRAGMA auto_vacuum = FULL;", "PRAGMA encoding = 'UTF-16le';"].map {
        try SampleDatabase(files, $0).pages
      }
      seeds = samples.map { [0] + $0 } + [[1] + samples[0]]
    }

    func run(_ input: [UInt8]) throws -> Int {
      let isPlaintext = (input.first ?? 0) & 1 == 1
      let pages = Array(input.dropFirst())
      files.remove("pages.db", "pages.db-journal", "saved.db", "saved.db-journal")
      try files.write("pages.db", isPlaintext ? pages : forge.file(pages))
      var shape = Shape()
      shape.add(isPlaintext ? 1 : 0)
      try read(isPlaintext, &shape)
      try salvage(isPlaintext, &shape)
      return shape.kind
    }

    private func configuration(_ isPlaintext: Bool) throws -> Configuration {
      var configuration = try SampleDatabase.configuration()
      if isPlaintext { configuration.key = nil }
      return configuration
    }

    private func read(_ isPlaintext: Bool, _ shape: inout Shape) throws {
      do {
        let queue = try DatabaseQueue(
          path: files.path("pages.db"), configuration: configuration(isPlaintext))
        var statements = [
          "SELECT count(*), sum(length(title)), sum(length(body)), max(data) FROM note",
          "SELECT count(*), max(word) FROM keyed WHERE word > 'a'", "SELECT count(*) FROM good",
          "PRAGMA integrity_check(20)", "PRAGMA foreign_key_check",
        ]
        // Version 3's SQLite can crash there, with plaintext files and without Coffer, too.
        if SQLCipherGeneration.linked >= .four {
          statements.append(
            "SELECT * FROM note INDEXED BY sqlite_autoindex_note_1 WHERE title > 'n' LIMIT 500")
        }
        for sql in statements {
          do {
            let rows = try queue.inDatabase { try Row.fetchAll($0, sql: sql) }
            shape.add(magnitude(rows.count))
          } catch let error as DatabaseError { shape.add(Int(error.resultCode.rawValue)) }
        }
        // What changes pages stumbles over the same damage, and is undone.
        do {
          try queue.inTransaction { db in
            try db.execute(sql: "INSERT INTO note (title) VALUES ('new'); DELETE FROM keyed")
            return .rollback
          }
        } catch let error as DatabaseError { shape.add(Int(error.resultCode.rawValue)) }
        if !isPlaintext {
          let damaged = try queue.checkCipherIntegrity()
          try expect(damaged.isEmpty, "authentic pages are called damaged: \(damaged)")
        }
        try queue.close()
      } catch let error as DatabaseError {
        shape.add(Int(error.resultCode.rawValue) << 8)
        if !isPlaintext { try checkDiagnosis(error) }
      }
    }

    private func checkDiagnosis(_ error: DatabaseError) throws {
      switch error.cipherDiagnosis {
      case .wrongKey, .wrongSalt, .keyRequired, .olderFormat, .replaced:
        throw Finding("authentic pages: \(error)")
      default: break
      }
    }

    private func salvage(_ isPlaintext: Bool, _ shape: inout Shape) throws {
      let key = isPlaintext ? nil : try SampleDatabase.key()
      do {
        let report = try DatabaseFile.salvage(
          at: files.path("pages.db"), key: key, settings: SampleDatabase.settings,
          to: files.path("saved.db"))
        shape.add(report.isComplete ? 1 : 0)
        shape.add(report.tables.count)
        let queue = try DatabaseQueue(
          path: files.path("saved.db"), configuration: configuration(isPlaintext))
        try queue.inDatabase { db in
          let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
          try expect(integrity == ["ok"], "the saved file: \(integrity)")
          for table in report.tables {
            let name = table.name.split(separator: "\"", omittingEmptySubsequences: false)
              .joined(separator: "\"\"")
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(name)\"")
            try expect(
              count == table.savedRows, "\(table.savedRows) rows saved, but \(count ?? -1) there")
            shape.add(magnitude(table.savedRows))
          }
        }
        try queue.close()
      } catch let error as DatabaseError {
        shape.add(Int(error.resultCode.rawValue) << 16)
        if !isPlaintext { try checkDiagnosis(error) }
      }
    }
  }
#endif

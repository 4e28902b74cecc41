#if DEBUG || COFFER_FUZZ
  @testable import CofferCore
  @testable import CofferVault
  import Foundation

  /// A changed file of key slots is refused, or opens to the right key.
  final class KeySlotsTarget: FuzzTarget {
    static let name = "key-slots"
    static let share = 12.0

    let seeds: [[UInt8]]
    private let genuine: [UInt8]
    private let crypto: LibCrypto
    private let key = [UInt8](0x40...0x5F)
    private let secrets: [SlotSecret] = [
      .random(SecureBytes(copying: [UInt8](repeating: 0x42, count: 32))),
      .random(SecureBytes(copying: [UInt8](0...0x13))),
    ]

    init(_ files: ScratchFolder) throws {
      guard let crypto = LibCrypto.shared else { throw Finding("there is no libcrypto") }
      self.crypto = crypto
      let file = try TestFiles.fixture("slots-1.db-keys")
      genuine = file
      seeds = (0..<4).map { [$0] + file }
    }

    func run(_ input: [UInt8]) throws -> Int {
      let flags = input.first ?? 0
      var bytes = Array(input.dropFirst())
      // So that what is behind the length and the checksum is reached.
      if flags & 1 == 1, bytes.count >= 16 {
        for index in 0..<4 {
          bytes[12 + index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index))
        }
      }
      if flags & 2 == 2, bytes.count >= 32, let sum = crypto.sha256(Array(bytes.dropLast(32))) {
        bytes.replaceSubrange((bytes.count - 32)..., with: sum)
      }
      var shape = Shape()
      let found: (file: KeySlotsFile, isIntact: Bool)
      do throws(KeySlotsError) { found = try KeySlotsFile.parse(bytes, path: "keys") } catch {
        shape.add("\(error)")
        return shape.kind
      }
      let (file, isIntact) = found
      shape.add(file.slots.count << 1 | (isIntact ? 1 : 0))
      for slot in file.slots { shape.add(slot.info.kind.hashValue) }
      let dataKey = SecureBytes(copying: key)
      let body = bytes.dropLast(64)
      let again = try file.bytes(authenticatedWith: dataKey)
      try expect(again.dropLast(64) == body, "the file is written in another way")
      if file.isAuthentic(dataKey) {
        try expect(body == genuine.dropLast(64), "other bytes are called authentic")
        shape.add(1)
      }
      for secret in secrets {
        do throws(KeySlotsError) {
          guard let opened = try file.open(with: secret) else { continue }
          shape.add(opened.slot.id)
          try check(opened.key)
        } catch {
          shape.add("\(error)")
        }
      }
      return shape.kind
    }

    private func check(_ opened: SecureBytes) throws(KeySlotsError) {
      precondition(opened.isEqual(to: SecureBytes(copying: key)), "another key was opened")
    }
  }

  /// Only states with a right seal are taken from an anchor and from the file of tags.
  final class FreshnessTarget: FuzzTarget {
    static let name = "freshness"
    static let share = 8.0
    static let largestInput = 4400

    let seeds: [[UInt8]]
    private let states: [FreshnessState]
    private let keys: FreshnessKeys
    private let files: ScratchFolder

    init(_ files: ScratchFolder) throws {
      self.files = files
      let keys = try FreshnessKeys(SampleDatabase.derived)
      self.keys = keys
      var state = FreshnessState(
        pageSize: 1024, salt: SampleDatabase.salt, identity: [UInt8](0x10..<0x20))
      (state.counter, state.commit, state.pageCount) = (7, 5, 3)
      var next = state
      (next.counter, next.commit, next.logFrameCount) = (8, 6, 4)
      var changing = state
      changing.flags = .changesKey
      let entries = [UInt8](repeating: 0x2A, count: 3 * PageTags.entrySize)
      if var tags = PageTags(entries: entries, count: 3) { next.root = try tags.root(keys) }
      let states = [state, next, changing]
      self.states = states
      let sealed = try states.map { try $0.sealed(with: keys) }
      var file = [UInt8](repeating: 0, count: TagFile.tableOffset)
      file.replaceSubrange(0..<176, with: sealed[0])
      file.replaceSubrange(1024..<1200, with: sealed[1])
      seeds = [[0] + sealed[0], [0] + sealed[1] + sealed[2], [1] + file + entries]
    }

    func run(_ input: [UInt8]) throws -> Int {
      let bytes = Array(input.dropFirst())
      var shape = Shape()
      do {
        if (input.first ?? 0) & 1 == 0 {
          try anchor(bytes, &shape)
        } else {
          try file(bytes, &shape)
        }
      } catch let error as FreshnessError { shape.add("\(error)") }
      return shape.kind
    }

    private func anchor(_ bytes: [UInt8], _ shape: inout Shape) throws {
      shape.add(FreshnessState.counter(of: bytes) == nil ? 0 : 1)
      for block in FreshnessState.blocks(of: bytes) {
        guard let state = try FreshnessState(block) else { continue }
        let again = try state.sealed(with: keys)
        try expect(
          again[..<FreshnessState.sealOffset] == block.prefix(FreshnessState.sealOffset),
          "a state is written in another way")
        shape.add(Int(state.flags.rawValue))
      }
      if let sealed = try SealedState(bytes, keys: keys) {
        try expect(states.contains(sealed.state), "a state without a seal was taken")
        shape.add(2)
      }
    }

    private func file(_ bytes: [UInt8], _ shape: inout Shape) throws {
      try files.write("fresh.db-tags", bytes)
      guard let file = try TagFile(forDatabaseAt: files.path("fresh.db"), writes: false) else {
        throw Finding("the file of tags is missing")
      }
      let records = try file.records(keys)
      shape.add(records.count)
      _ = try file.hasHadAnchor(records)
      for record in records {
        try expect(states.contains(record.state), "a record without a seal was taken")
        if var tags = try file.tags(of: record.state, keys) {
          let root = try tags.root(keys)
          try expect(root == record.state.root, "other tags were taken")
          shape.add(3)
        }
      }
    }
  }

  /// What the beginning of a file says without its key.
  final class HeaderTarget: FuzzTarget {
    static let name = "header"
    static let share = 6.0

    let seeds: [[UInt8]]
    let words = ["SQLite format 3\0", "\u{10}\0\u{1}\u{1}\0@  ", "\0\u{1}"]
    private let files: ScratchFolder

    init(_ files: ScratchFolder) throws {
      self.files = files
      let names = ["plain.db", "plain-wal.db", "v4-passphrase.db", "v4-plaintext-header-32.db"]
      seeds = try names.map { Array(try TestFiles.fixture($0).prefix(4096)) }
    }

    func run(_ input: [UInt8]) throws -> Int {
      try files.write("header.db", input)
      let inspection = DatabaseFile.inspect(at: files.path("header.db"))
      try expect(inspection.size == input.count, "the size is \(inspection.size)")
      try expect(!inspection.description.isEmpty, "no description")
      var shape = Shape()
      shape.add(inspection.fileType ?? "")
      switch inspection.kind {
      case .empty: try expect(input.isEmpty, "a file with bytes is empty")
      case .plaintext(let header), .plaintextHeader(let header):
        try expect(input.starts(with: SQLiteHeader.magic), "another beginning")
        shape.add(magnitude(header.pageSize) << 8 | magnitude(header.pageCount ?? 0))
      case .encryptedOrUnknown(let salt):
        try expect(salt == Array(input.prefix(16)), "another salt")
        shape.add(1)
      case .tooShort: shape.add(2)
      case .notADatabase: shape.add(3)
      default: throw Finding("\(inspection)")
      }
      if let header = SQLiteHeader(input) {
        _ = (header.usesWAL, header.autoVacuum, header.textEncoding, header.userVersion)
        _ = (header.applicationID, header.reservedSize, header.firstFreePage, header.freePageCount)
        shape.add(header.hasFixedFields(pageSize: header.pageSize) ? 1 : 0)
        shape.add(header.hasZeroExpansion() ? 1 : 0)
      }
      return shape.kind
    }
  }
#endif

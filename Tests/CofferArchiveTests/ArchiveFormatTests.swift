import Foundation
import Testing

@testable import Coffer
@testable import CofferArchive
@testable import CofferCore

/// What Docs/Format.md says.
@Suite struct ArchiveFormatTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../").standardizedFileURL

  // MARK: Test vectors

  private static let pageSize = 512
  private static let archive = [UInt8](0xA0...0xAF)
  private static let noSeal = [UInt8](repeating: 0, count: ArchiveSeal.size)

  private func header(_ kind: ObjectHeader.Kind) -> ObjectHeader {
    ObjectHeader(kind, pageSize: Self.pageSize, archive: Self.archive)
  }

  private func seal() throws -> ArchiveSeal {
    let key = SecureBytes(copying: [UInt8](0..<32))
    return try ArchiveSeal(DerivedKey(key: key, salt: [UInt8](0xF0...0xFF)))
  }

  /// That of a writer whose first manifest is the second one.
  private static let fence: UInt64 = 0x2_C0DE

  /// A frame of page 1.
  private func frames(_ byte: UInt8) -> ArraySlice<UInt8> {
    ([1, 0, 0, 0] + [UInt8](repeating: byte, count: Self.pageSize))[...]
  }

  private func segment() -> Segment {
    var piece = CommitPiece(
      firstCommit: 2,
      end: LogPosition(salts: [UInt8](1...8), frame: 1, checksum: [UInt8](0x11...0x18)))
    piece.commits = [.init(date: 1_800_000_001_000, frameCount: 1, pageCount: 1)]
    piece.frames = Array(frames(0xAB))
    return Segment(piece, sequence: 1, fence: Self.fence, previousSeal: Self.noSeal)
  }

  private func part() -> LayerPart {
    LayerPart(layer: Self.fence << 20 | 1, index: 0, damagedPages: [1], frames: frames(0xCD))
  }

  private func manifest() throws -> Manifest {
    var manifest = Manifest(
      number: 3, writer: [UInt8](0xB0...0xBF), header: header(.manifest),
      salt: [UInt8](0xF0...0xFF), slots: [])
    manifest.fence = Self.fence
    manifest.isReleased = true
    let last = try seal().sealed(segment().bytes(header(.segment)))
    manifest.tip = Manifest.LogPlace(
      sequence: 2, seal: Array(last.suffix(ArchiveSeal.size)), commit: 2)
    manifest.gaps = [1]
    let place = Manifest.LogPlace(sequence: 1, seal: Self.noSeal, commit: 1)
    let size = part().bytes(header(.part)).count + ArchiveSeal.size
    manifest.layers = [
      Manifest.Layer(
        number: Self.fence << 20 | 1, level: 3, first: 0, last: 1, date: 1_800_000_000_000,
        pageCount: 1,
        partCount: 1, byteCount: size, place: place)
    ]
    return manifest
  }

  /// Whether the document has an object's bytes without its last frames, and its seal.
  private func expectDocumented(_ bytes: [UInt8], frameCount: Int) throws {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("Docs/Format.md"), encoding: .utf8
    ).filter { !$0.isWhitespace }
    let sealed = try seal().sealed(bytes)
    let shown = bytes.dropLast(frameCount * (Self.pageSize + 4))
    let expected = hex(Array(shown)) + "seal" + hex(sealed.suffix(ArchiveSeal.size))
    let isShown = text.contains(expected)
    #expect(isShown, "\(expected)")
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private func hex(_ bytes: ArraySlice<UInt8>) -> String { hex(Array(bytes)) }

  @Test func `objects are the bytes of the test vectors`() throws {
    try expectDocumented(segment().bytes(header(.segment)), frameCount: 1)
    try expectDocumented(part().bytes(header(.part)), frameCount: 1)
    try expectDocumented(manifest().bytes(), frameCount: 0)
  }

  @Test func `objects are read from the bytes of the test vectors`() throws {
    let manifest = try manifest()
    let bytes = try seal().sealed(manifest.bytes())
    #expect(try Manifest(bytes, name: "manifest").bytes() == manifest.bytes())
    let segment = try Segment(
      seal().sealed(segment().bytes(header(.segment))), name: "segment", in: manifest.header)
    #expect(segment.bytes(header(.segment)) == self.segment().bytes(header(.segment)))
    let part = try LayerPart(
      seal().sealed(part().bytes(header(.part))), name: "part", in: manifest.header)
    #expect(part.bytes(header(.part)) == self.part().bytes(header(.part)))
  }

  // MARK: The reader in Python

  private static let python = "/usr/bin/python3"
  private static let key = [UInt8](repeating: 5, count: 32)

  /// Runs the reader on an archive.
  private func read(_ archive: String, to target: String, keyFile: String) throws -> (
    status: CInt, text: String
  ) {
    try Data(hex(Self.key).utf8).write(to: URL(fileURLWithPath: keyFile))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.python)
    process.arguments = [
      Self.root.appendingPathComponent("Tests/Format/read_archive.py").path, archive, keyFile,
      target,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// Makes an archive in a folder: with layers of three levels, a gap, and a commit in several
  /// segments.
  private func makeArchive(_ fixture: ArchiveFixture, at path: String) throws -> Archive {
    let archive = Archive(FolderDestination(path: path), configuration: fixture.configuration)
    for _ in 0..<2 {
      let session = try archive.start(fixture.pool)
      try session.archiveNow()
      for round in 0..<14 {
        fixture.clock.advance(round == 9 ? 3_600 : 100)
        for _ in 0..<3 { try fixture.write(round == 7 ? 300 : 4) }
        try session.archiveNow()
      }
      try session.stop()
      try fixture.write()
      try fixture.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    return archive
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `a reader in Python writes the same file as a restore, byte for byte`() throws {
    let fixture = try ArchiveFixture {
      $0.limits = CommitCapture.Limits(pieceSize: 5 * 4_100, pieceCount: 2)
    }
    let folder = fixture.folder
    let archive = try makeArchive(fixture, at: folder.path("archive"))
    let commit = try archive.restore(to: folder.path("restored.db"), key: .raw(Self.key))
    let (status, text) = try read(
      folder.path("archive"), to: folder.path("read.db"), keyFile: folder.path("key"))
    #expect(status == 0, "\(text)")
    #expect(text.contains("restored commit \(commit.number) of "), "\(text)")
    let restored = try Data(contentsOf: URL(fileURLWithPath: folder.path("restored.db")))
    let isSame = try Data(contentsOf: URL(fileURLWithPath: folder.path("read.db"))) == restored
    #expect(isSame, "\(text)")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python)))
  func `the reader in Python names a changed object, and one that is missing`() throws {
    let fixture = try ArchiveFixture()
    let folder = fixture.folder
    let archive = Archive(
      FolderDestination(path: folder.path("archive")), configuration: fixture.configuration)
    let session = try archive.start(fixture.pool)
    for _ in 0..<4 {
      try fixture.write()
      try session.archiveNow()
    }
    try session.stop()
    let name = "log/0000000000000002"
    let object = URL(fileURLWithPath: folder.path("archive/" + name))
    var bytes = try Data(contentsOf: object)
    bytes[200] ^= 1
    try bytes.write(to: object)
    let keyFile = folder.path("key")
    var found = try read(folder.path("archive"), to: folder.path("1.db"), keyFile: keyFile)
    #expect(found.status == 1 && found.text.contains("\(name): damaged"), "\(found.text)")
    try FileManager.default.removeItem(at: object)
    found = try read(folder.path("archive"), to: folder.path("2.db"), keyFile: keyFile)
    #expect(found.status == 1 && found.text.contains("\(name): missing"), "\(found.text)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("2.db")))
  }
}

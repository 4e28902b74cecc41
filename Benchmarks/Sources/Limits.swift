import BenchmarkReport
import CFloor

/// Returns what the cryptography of the measured work costs at least; empty if the benchmarks of
/// the cipher weren't measured, or libcrypto lacks the primitives.
func limits(_ files: CipherFixture, _ figures: [Figure]) throws -> [Limit] {
  guard let primitives = Primitives() else { return [] }
  func limit(
    _ work: String, _ name: String, _ loop: StockLoops.Loop, file: String, operations: Int,
    settings: String? = nil, costPerPage: Double, perRun: Bool = false
  ) throws -> Limit? {
    guard let figure = figures.first(where: { $0.name == name }), let floor = figure.floor
    else { return nil }
    let path = files.path(file)
    let db = try CipherFixture.openFloor(path, loop, settings: settings)
    defer { floor_close(db) }
    _ = floor_take_pages_read(db)
    _ = floor_take_pages_written(db)
    blackHole(
      StockLoops.perform(loop, on: db, path: path, rows: files.rows, ids: files.fixture.ids))
    let isWriting = loop == .insert || loop == .commit
    let pages = isWriting ? floor_take_pages_written(db) : floor_take_pages_read(db)
    let perOperation = Double(pages) / Double(operations)
    let factor = perRun ? Double(figure.count) : 1
    return Limit(
      work: work, pages: perOperation, primitives: perOperation * costPerPage,
      stock: floor * factor, library: figure.library * factor)
  }
  let rows = Format.count(files.rows)
  return try [
    limit(
      "full scan of \(rows) rows", "Cipher: full scan", .scan, file: "stock-file", operations: 1,
      costPerPage: primitives.read, perRun: true),
    limit(
      "full scan of \(rows) rows, HMAC-SHA256", "Cipher: full scan, HMAC-SHA256", .scan,
      file: "file-256", operations: 1, settings: "PRAGMA cipher_hmac_algorithm = HMAC_SHA256",
      costPerPage: primitives.readWithSHA256, perRun: true),
    limit(
      "point lookup of a cold page", "Cipher: point read of a cold page", .read,
      file: "stock-file", operations: files.fixture.ids.count, costPerPage: primitives.read),
    limit(
      "one-row commit", "Cipher: one-row commits", .commit, file: "stock-wal",
      operations: CipherFixture.commitCount, costPerPage: primitives.write),
  ].compactMap(\.self)
}

/// What libcrypto takes for a page of 4,096 bytes, in nanoseconds.
private struct Primitives {
  var hmacSHA512: Double
  var hmacSHA256: Double
  var decryption: Double
  var encryption: Double
  var random: Double

  var read: Double { hmacSHA512 + decryption }
  var readWithSHA256: Double { hmacSHA256 + decryption }
  var write: Double { hmacSHA512 + encryption + random }

  /// Measures all of them; nil if libcrypto lacks one.
  init?() {
    func measure(_ primitive: floor_primitive) -> Double? {
      let times = (0..<15).map { _ in floor_time_primitive(primitive, 500) }
      return times.contains { $0 < 0 } ? nil : quantile(times, 0.5)
    }
    guard let hmacSHA512 = measure(floor_hmac_sha512),
      let hmacSHA256 = measure(floor_hmac_sha256),
      let decryption = measure(floor_aes_256_cbc_decrypt),
      let encryption = measure(floor_aes_256_cbc_encrypt), let random = measure(floor_random_iv)
    else { return nil }
    self.hmacSHA512 = hmacSHA512
    self.hmacSHA256 = hmacSHA256
    self.decryption = decryption
    self.encryption = encryption
    self.random = random
  }
}

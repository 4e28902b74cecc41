/// The memory that a transaction's changed pages take, as far as it is looked at.
struct ChangedPages {
  /// How many bytes the cache may grow before the pages are written.
  let limit: Int32
  /// The number of statements until the next look.
  private var untilLook = ChangedPages.interval
  /// The memory of the cache when the transaction was first looked at, or after the last flush.
  private var base: Int32 = 0
  /// The number of the transaction that was last looked at.
  private var transaction = -1
  /// The open savepoints of batches, from the outermost one on; see
  /// ``Database/inBatchSavepoint(_:)``.
  var batchCount = 0
  /// The number of times that such savepoints have become a part of their transaction.
  var outgrownCount = 0

  /// A look takes as long as a tenth of a small insertion.
  private static let interval = 16

  init(limit: Int) { self.limit = Int32(clamping: limit) }

  /// Counts a statement.
  ///
  /// - Returns: Whether to look at the memory after it.
  @inline(__always)
  mutating func isDue() -> Bool {
    untilLook &-= 1
    return untilLook <= 0
  }

  /// Records the memory of the cache between two statements.
  ///
  /// - Returns: Whether the changed pages are to be written.
  mutating func look(_ used: Int32, transaction: Int, isInside: Bool) -> Bool {
    if !isInside || transaction != self.transaction || used &- base < 0 { base = used }
    self.transaction = transaction
    let growth = used &- base
    // Statements that change much are looked at one by one.
    untilLook = growth > limit / 4 || limit == 0 ? 1 : ChangedPages.interval
    return isInside && growth >= limit
  }

  /// Records the memory that is left after the pages were written.
  mutating func didWrite(_ used: Int32) { base = used }
}

extension Configuration {
  /// Throws if ``changedPagesSize`` is out of range.
  func checkChangedPagesSize() throws {
    guard !(0...1 << 30).contains(changedPagesSize) else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Configuration.changedPagesSize is \(changedPagesSize)",
      hint: "It is a number of bytes, from 0 to 1 GiB.")
  }
}

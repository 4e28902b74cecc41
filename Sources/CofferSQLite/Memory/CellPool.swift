import Synchronization

/// A value that a ``CellPool`` lends.
package protocol ReusableCell {
  init()

  /// Clears the cell, and changes the mark by which former users recognize it.
  mutating func reset()
}

/// A pool of memory cells that are reused and never freed.
///
/// Containers of encoders and decoders refer to a cell by its address, without reference counting.
/// A container that outlives its use finds a cell that was reset, never freed memory.
package final class CellPool<Cell: ReusableCell>: Sendable {
  // SAFETY: the cells in the pool have no user, and are accessed only under the pool's lock.
  @safe private struct Cells: @unchecked Sendable {
    var free: [UnsafeMutablePointer<Cell>] = unsafe []
  }

  private let cells = Mutex(Cells())

  package init() {}

  /// Returns a cell for exclusive use.
  @safe package func take() -> UnsafeMutablePointer<Cell> {
    if let cell = unsafe cells.withLock({ unsafe $0.free.popLast() }) { return unsafe cell }
    let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
    unsafe cell.initialize(to: Cell())
    return unsafe cell
  }

  /// Resets a cell and returns it to the pool.
  @safe package func putBack(_ cell: UnsafeMutablePointer<Cell>) {
    unsafe cell.pointee.reset()
    let returned = unsafe Cells(free: [cell])
    cells.withLock { unsafe $0.free += returned.free }
  }
}

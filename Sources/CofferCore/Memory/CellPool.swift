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
  private struct Cells: @unchecked Sendable {
    var free: [UnsafeMutablePointer<Cell>] = []
  }

  private let cells = Mutex(Cells())

  package init() {}

  /// Returns a cell for exclusive use.
  package func take() -> UnsafeMutablePointer<Cell> {
    if let cell = cells.withLock({ $0.free.popLast() }) { return cell }
    let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
    cell.initialize(to: Cell())
    return cell
  }

  /// Resets a cell and returns it to the pool.
  package func putBack(_ cell: UnsafeMutablePointer<Cell>) {
    cell.pointee.reset()
    let returned = Cells(free: [cell])
    cells.withLock { $0.free += returned.free }
  }
}

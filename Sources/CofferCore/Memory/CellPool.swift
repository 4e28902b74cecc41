import Synchronization

/// What a ``CellPool`` lends.
package protocol ReusableCell {
  init()

  /// Forgets everything, and changes what former users know the cell by.
  mutating func reset()
}

/// Memory that is used again and again but never freed.
///
/// Containers of encoders and decoders know such a cell by its address, so that nothing counts
/// references to it. One that is kept for too long finds a cell that is no longer its own, never
/// freed memory.
package final class CellPool<Cell: ReusableCell>: Sendable {
  // SAFETY: the pool's cells have no user, and are touched under its lock alone.
  private struct Cells: @unchecked Sendable {
    var free: [UnsafeMutablePointer<Cell>] = []
  }

  private let cells = Mutex(Cells())

  package init() {}

  /// A cell for one user.
  package func take() -> UnsafeMutablePointer<Cell> {
    if let cell = cells.withLock({ $0.free.popLast() }) { return cell }
    let cell = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
    cell.initialize(to: Cell())
    return cell
  }

  /// Resets a cell, and keeps it for the next user.
  package func putBack(_ cell: UnsafeMutablePointer<Cell>) {
    cell.pointee.reset()
    let returned = Cells(free: [cell])
    cells.withLock { $0.free += returned.free }
  }
}

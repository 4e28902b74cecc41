import Testing

@testable import CofferCore

@Suite struct CellPoolTests {
  private struct Cell: ReusableCell {
    var value = 0
    var generation = 0
    mutating func reset() { self = Cell(generation: generation + 1) }
  }

  @Test func `a cell that was returned is lent again, with another generation`() {
    let pool = CellPool<Cell>()
    let cell = pool.take()
    cell.pointee.value = 7
    let other = pool.take()
    #expect(cell != other)
    pool.putBack(cell)
    // A user that kept the cell finds another generation.
    #expect(cell.pointee.generation == 1)
    #expect(pool.take() == cell)
    #expect(cell.pointee.value == 0)
  }

  @Test func `threads never share a cell`() async {
    let pool = CellPool<Cell>()
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...8 {
        group.addTask {
          (0..<500).allSatisfy { _ in
            let cell = pool.take()
            defer { pool.putBack(cell) }
            cell.pointee.value = number
            return cell.pointee.value == number
          }
        }
      }
      for await isOwn in group { #expect(isOwn) }
    }
  }

  @Test func `an object waits for its type, and the last one stays`() {
    final class Object {}
    let waiting = WaitingObjects<Object>()
    #expect(waiting.take(ObjectIdentifier(Int.self)) == nil)
    let (first, second) = (Object(), Object())
    waiting.put(first, ObjectIdentifier(Int.self))
    waiting.put(second, ObjectIdentifier(Int.self))
    #expect(waiting.take(ObjectIdentifier(Int.self)) === second)
    #expect(waiting.take(ObjectIdentifier(Int.self)) == nil)
  }
}

import CofferTestSupport
import Glibc
import Testing

@testable import CofferCore
@testable import CofferSQLite

struct SecretArenaTests {
  /// A block, and the byte that it is filled with.
  private struct Block {
    var address: UInt
    var count: Int
    var byte: UInt8

    var bytes: UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(
        start: UnsafeMutableRawPointer(bitPattern: address), count: count)
    }

    func fill() { memset(bytes.baseAddress!, CInt(byte), count) }
    /// Whether the first byte is right, and each other one is like the one before it.
    var isIntact: Bool {
      let start = bytes.baseAddress!
      return bytes[0] == byte && memcmp(start, start + 1, count - 1) == 0
    }
  }

  @Test func `sizes are rounded up by less than an eighth, or to sixteen bytes`() throws {
    let arena = try #require(SecretArena())
    for count in Array(0...600) + [65_535, 65_536, 65_537, 1 << 20, 1 << 30, Int(CInt.max)] {
      let rounded = SecretArena.roundUp(count)
      #expect(rounded >= max(count, 16) && rounded % 16 == 0)
      #expect(rounded <= count + count / 8 + 16)
      #expect(SecretArena.roundUp(rounded) == rounded)
      guard count <= 1 << 20 else { continue }
      let block = arena.allocate(count)
      #expect(arena.contains(block) && block % 16 == 0)
      #expect(arena.byteCount(of: block) == rounded)
    }
  }

  @Test func `blocks in use never overlap, whatever is freed`() throws {
    let arena = try #require(SecretArena())
    var random = SeededGenerator()
    var blocks: [Block] = []
    var damaged = 0
    for step in 0..<trialCount(20_000) {
      let isGrowing = step / 5000 % 2 == 0
      if blocks.isEmpty || Int.random(in: 0..<5, using: &random) < (isGrowing ? 3 : 2) {
        let largest = [64, 512, 5000, 70_000, 600_000][
          min(4, Int.random(in: 0..<40, using: &random))]
        let count = Int.random(in: 1...largest, using: &random)
        let block = Block(
          address: arena.allocate(count), count: count,
          byte: UInt8.random(in: 0...255, using: &random))
        try #require(block.address != 0)
        block.fill()
        blocks.append(block)
      } else {
        blocks.swapAt(Int.random(in: blocks.indices, using: &random), blocks.count - 1)
        let block = blocks.removeLast()
        if !block.isIntact { damaged += 1 }
        arena.free(block.address)
      }
    }
    for block in blocks {
      if !block.isIntact { damaged += 1 }
      arena.free(block.address)
    }
    #expect(damaged == 0)
  }

  @Test func `memory of freed slabs is used again, and returns to the system`() throws {
    let arena = try #require(SecretArena())
    var lowest: [UInt] = []
    for round in 0..<3 {
      let count = 20_000
      let blocks = (0..<count).map { _ in arena.allocate(4400) }
      #expect(Set(blocks).count == count)
      for block in blocks { UnsafeMutablePointer<UInt8>(bitPattern: block)!.pointee = 1 }
      lowest.append(try #require(blocks.max()))
      for block in blocks { arena.free(block) }
      // One slab of this size stays, and what is locked.
      let resident = blocks.count { isResident($0) }
      #expect(resident < count / 4, "round \(round)")
    }
    #expect(Set(lowest).count <= 2)
  }

  /// Whether the page at an address is in memory.
  private func isResident(_ address: UInt) -> Bool {
    var state: UInt8 = 0
    let page = UnsafeMutableRawPointer(bitPattern: address & ~4095)
    return mincore(page, 4096, &state) == 0 && state & 1 == 1
  }
}

import CofferTestSupport
import Foundation
import Testing

@testable import CofferSQLite
@testable import CofferVault

struct PageIVsTests {
  private static let count = 40

  private func take(_ ivs: inout PageIVs) throws -> [UInt8] {
    var iv = [UInt8](repeating: 0, count: PageIVs.size)
    let isTaken = iv.withUnsafeMutableBytes { ivs.takeNext($0.baseAddress!) }
    try #require(isTaken)
    return iv
  }

  @Test func `all IVs differ`() throws {
    var (first, second) = (PageIVs(), PageIVs())
    defer {
      first.free()
      second.free()
    }
    var taken: Set<[UInt8]> = [[UInt8](repeating: 0, count: PageIVs.size)]
    for _ in 0..<Self.count {
      #expect(taken.insert(try take(&first)).inserted)
      #expect(taken.insert(try take(&second)).inserted)
    }
    first.free()
    #expect(taken.insert(try take(&first)).inserted)
  }

  @Test func `a forked process has IVs of its own`() throws {
    var ivs = PageIVs()
    defer { ivs.free() }
    // The next ones are there as the process is copied.
    let first = try take(&ivs)
    let size = Self.count * PageIVs.size
    let shared = try #require(
      mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    defer { munmap(shared, size) }
    let isDone = SystemCalls.succeedsInChild(milliseconds: 60_000) {
      (0..<Self.count).allSatisfy { ivs.takeNext(shared + $0 * PageIVs.size) }
    }
    try #require(isDone)
    var taken: Set<[UInt8]> = [first]
    for index in 0..<Self.count {
      let other = [UInt8](
        UnsafeRawBufferPointer(start: shared + index * PageIVs.size, count: PageIVs.size))
      #expect(taken.insert(other).inserted)
      #expect(taken.insert(try take(&ivs)).inserted)
    }
  }
}

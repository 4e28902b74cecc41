import CofferSQLite
import CofferTestSupport
import Foundation
import Testing

/// Where SQLite links the pages that have changed: in memory that is laid out as its cache, and in
/// memory that isn't.
struct PageCacheLayoutTests {
  private static let size = 512
  /// The distance of a page's header from its entry, and the size of all three.
  private static let headerOffset = 48
  private static let blockSize = size + headerOffset + 256

  /// Pages that are linked in the order in which they have changed.
  private final class Cache {
    let memory: UnsafeMutableRawPointer
    let count: Int
    let place: Int

    init(count: Int, place: Int) {
      (self.count, self.place) = (count, place)
      memory = .allocate(byteCount: count * blockSize, alignment: 16)
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: count * blockSize)
      for index in 0..<count {
        let (page, header) = (page(index), header(index))
        (page + size).storeBytes(of: UInt(bitPattern: page), as: UInt.self)
        (page + size + 8).storeBytes(of: UInt(bitPattern: header), as: UInt.self)
        (page + size + 16).storeBytes(of: number(index), as: UInt32.self)
        header.storeBytes(of: UInt(bitPattern: page + size), as: UInt.self)
        (header + 8).storeBytes(of: UInt(bitPattern: page), as: UInt.self)
        (header + 48).storeBytes(of: number(index), as: UInt32.self)
        (header + 52).storeBytes(of: 2, as: UInt16.self)
        if index > 0 { set(index, place, to: self.header(index - 1)) }
        if index < count - 1 { set(index, place + 8, to: self.header(index + 1)) }
      }
    }

    deinit { memory.deallocate() }

    func number(_ index: Int) -> UInt32 { UInt32(100 + index) }
    func page(_ index: Int) -> UnsafeMutableRawPointer { memory + index * blockSize }
    func header(_ index: Int) -> UnsafeMutableRawPointer { page(index) + size + headerOffset }

    func set(_ index: Int, _ offset: Int, to address: UnsafeRawPointer?) {
      (header(index) + offset).storeBytes(of: UInt(bitPattern: address), as: UInt.self)
    }

    func setClean(_ index: Int) { (header(index) + 52).storeBytes(of: 1, as: UInt16.self) }

    func proof() -> PageCacheLayout.Knowledge {
      var proof = PageCacheLayout.Proof()
      var knowledge = PageCacheLayout.Knowledge.undecided
      for index in 0..<count where knowledge == .undecided {
        knowledge = proof.look(at: page(index), size: size)
      }
      return knowledge
    }
  }

  private static let isOld = SQLite.versionNumber < 3_038_000

  @Test(.enabled(if: !isOld), arguments: [56, 64, 72])
  func `the one place that fits is proven, and followed`(_ place: Int) throws {
    let cache = Cache(count: 40, place: place)
    guard case .proven(let layout) = cache.proof() else {
      Issue.record("nothing is proven")
      return
    }
    for index in 0..<cache.count {
      let page = cache.page(index)
      #expect(layout.number(of: page, size: Self.size) == cache.number(index))
      let later = layout.neighbor(of: page, size: Self.size, isLater: true)
      #expect(later == (index < 39 ? UnsafeRawPointer(cache.page(index + 1)) : nil))
      let earlier = layout.neighbor(of: page, size: Self.size, isLater: false)
      #expect(earlier == (index > 0 ? UnsafeRawPointer(cache.page(index - 1)) : nil))
    }
    // What a page that hasn't changed links isn't looked at.
    cache.setClean(20)
    cache.set(20, place, to: UnsafeRawPointer(bitPattern: 16))
    cache.set(20, place + 8, to: UnsafeRawPointer(bitPattern: 16))
    #expect(layout.neighbor(of: cache.page(20), size: Self.size, isLater: true) == nil)
    #expect(layout.neighbor(of: cache.page(19), size: Self.size, isLater: true) == nil)
    #expect(layout.neighbor(of: cache.page(21), size: Self.size, isLater: false) == nil)
  }

  @Test(.enabled(if: !isOld)) func `pages that haven't changed prove nothing, and refute nothing`()
  {
    let cache = Cache(count: 80, place: 64)
    for index in 0..<40 {
      cache.setClean(index)
      cache.set(index, 64, to: UnsafeRawPointer(bitPattern: 16))
    }
    // The first page that has changed has none before it.
    cache.set(40, 64, to: nil)
    guard case .proven = cache.proof() else {
      Issue.record("nothing is proven")
      return
    }
  }

  @Test(.enabled(if: !isOld)) func `links that lead nowhere, or to others, prove no place`() {
    let wild = Cache(count: 40, place: 64)
    for index in 0..<40 { wild.set(index, 72, to: UnsafeRawPointer(bitPattern: 8)) }
    #expect(wild.proof() == .undecided)
    let crossed = Cache(count: 40, place: 64)
    crossed.set(3, 72, to: crossed.header(7))
    #expect(crossed.proof() == .undecided)
  }

  @Test(.enabled(if: !isOld)) func `two places that fit prove neither`() {
    let cache = Cache(count: 40, place: 56)
    for index in 0..<40 {
      if index > 0 { cache.set(index, 72, to: cache.header(index - 1)) }
      if index < 39 { cache.set(index, 80, to: cache.header(index + 1)) }
    }
    #expect(cache.proof() == .undecided)
  }

  @Test(.enabled(if: !isOld)) func `other numbers and bits than expected end the proof`() {
    let numbered = Cache(count: 40, place: 64)
    (numbered.header(0) + 48).storeBytes(of: 1, as: UInt32.self)
    #expect(numbered.proof() == .none)
    let flagged = Cache(count: 40, place: 64)
    (flagged.header(0) + 52).storeBytes(of: 3, as: UInt16.self)
    #expect(flagged.proof() == .none)
  }

  @Test func `memory that ends behind a page isn't read`() throws {
    let pageSize = sysconf(CInt(_SC_PAGESIZE))
    let mapped = mmap(
      nil, 2 * pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    let memory = try #require(mapped != MAP_FAILED ? mapped : nil)
    defer { munmap(memory, 2 * pageSize) }
    #expect(mprotect(memory + pageSize, pageSize, PROT_NONE) == 0)
    var proof = PageCacheLayout.Proof()
    let knowledge = proof.look(at: memory + pageSize - Self.size, size: Self.size)
    #expect(knowledge == (Self.isOld ? .none : .undecided))
  }
}

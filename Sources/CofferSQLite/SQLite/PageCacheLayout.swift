import CSQLCipher
import Glibc
import Synchronization

/// How SQLite's page cache links the pages that have changed, which its documentation doesn't say.
///
/// A page is followed by an entry of the cache, which begins as `sqlite3_pcache_page` does
/// (<https://sqlite.org/c3ref/pcache_page.html>), with the addresses of the page and of its header,
/// and the page's number. The header begins with the addresses of the entry and of the page. Behind
/// four more, it has the page's number, bits that say whether the page has changed, and only then
/// the addresses of two other headers: that of the page that had changed before, and that of the
/// one that changed afterwards.
///
/// The place of these two isn't the same in all versions. It is taken from pages that SQLite
/// writes, and used only if exactly one place fits all of them, see ``Proof``.
package struct PageCacheLayout: Sendable, Equatable {
  /// The offset of the two addresses in a header.
  let place: Int

  package enum Knowledge: Equatable, Sendable {
    /// Not known yet, see ``learn(from:size:with:)``.
    case undecided
    /// No place fits.
    case none
    case proven(PageCacheLayout)
  }

  /// That of the SQLite that is linked.
  package static var linked: Knowledge {
    switch linkedPlace.load(ordering: .relaxed) {
    case undecided: .undecided
    case noPlace: .none
    case let place: .proven(PageCacheLayout(place: place))
    }
  }

  /// Looks at a page that SQLite encrypts, to learn ``linked``.
  @safe package static func learn(
    from page: UnsafeRawPointer, size: Int, with proof: inout Proof
  ) {
    switch proof.look(at: page, size: size) {
    case .undecided: break
    case .none: linkedPlace.store(noPlace, ordering: .relaxed)
    case .proven(let layout): linkedPlace.store(layout.place, ordering: .relaxed)
    }
  }

  private static let linkedPlace = Atomic(undecided)
  private static let undecided = 0
  private static let noPlace = -1
  private static let wordSize = MemoryLayout<UInt>.size
  // In a header.
  private static let numberOffset = 48
  private static let flagsOffset = 52
  /// The bit of pages that haven't changed, and that of those that have: each page has one of them.
  private static let flags: (clean: UInt16, changed: UInt16) = (1, 2)

  /// The number of a page that SQLite encrypts; nil if it isn't one of the cache.
  @inline(__always)
  @safe package func number(of page: UnsafeRawPointer, size: Int) -> UInt32? {
    // SAFETY: SQLite encrypts pages of the cache, which are followed by their entries, and one that
    // it has for its own use, which is followed by eight bytes. These never are its address.
    let entry = unsafe page + size
    guard unsafe entry.load(as: UnsafeRawPointer?.self) == page else { return nil }
    return unsafe entry.load(fromByteOffset: 2 * Self.wordSize, as: UInt32.self)
  }

  /// The page that changed after a changed one of the cache, or the one that had changed before it;
  /// nil if there is none, or the page hasn't changed.
  @inline(__always)
  @safe package func neighbor(
    of page: UnsafeRawPointer, size: Int, isLater: Bool
  ) -> UnsafeRawPointer? {
    // SAFETY: the proof has shown that changed pages are linked so, in both directions. SQLite,
    // which calls this thread for one page, doesn't change others meanwhile.
    let header = unsafe Self.header(of: page, size: size)
    guard unsafe Self.hasChanged(header) else { return nil }
    let offset = place + (isLater ? Self.wordSize : 0)
    guard let other = unsafe header.load(fromByteOffset: offset, as: UnsafeRawPointer?.self),
      unsafe Self.hasChanged(other),
      let neighbor = unsafe other.load(
        fromByteOffset: Self.wordSize, as: UnsafeRawPointer?.self),
      unsafe (neighbor + size).load(as: UnsafeRawPointer?.self) == neighbor,
      unsafe Self.header(of: neighbor, size: size) == other
    else { return nil }
    return unsafe neighbor
  }

  @inline(__always)
  private static func header(of page: UnsafeRawPointer, size: Int) -> UnsafeRawPointer {
    unsafe (page + size).load(fromByteOffset: wordSize, as: UnsafeRawPointer.self)
  }

  @inline(__always)
  private static func hasChanged(_ header: UnsafeRawPointer) -> Bool {
    let bits = unsafe header.load(fromByteOffset: flagsOffset, as: UInt16.self)
    return bits & (flags.clean | flags.changed) == flags.changed
  }

  /// What is known after the pages that were looked at.
  ///
  /// Nothing is read from an address that may be none: the kernel copies what is there.
  package struct Proof {
    private static let headerSize = 104
    private static let entrySize = 24
    /// The distances that a header can have from its page's entry.
    private static let headerDistances: ClosedRange<UInt> = 24...256
    /// How many links of one place prove it, and how many pages decide.
    private static let enoughLinks = 32
    private static let mostPages = 1000
    /// Before this version, SQLite encrypts pages of its own with nothing behind them.
    private static let firstVersion = 3_038_000

    /// The places that fit all pages, with the links that have shown it.
    private var links: [Int: Int] = [:]
    private var pageCount = 0

    package init() {
      guard SQLite.versionNumber >= Self.firstVersion else { return }
      let first = PageCacheLayout.flagsOffset + 4
      for place in stride(from: first, to: Self.headerSize - wordSize, by: wordSize) {
        links[place] = 0
      }
    }

    /// Looks at a page that SQLite encrypts.
    @safe package mutating func look(at page: UnsafeRawPointer, size: Int) -> Knowledge {
      pageCount += 1
      if let memory = MemoryCopy(),
        let header = Header(of: UInt(bitPattern: page), size, memory)
      {
        look(at: header, size, memory)
      }
      let proven = links.filter { $0.value >= Self.enoughLinks }
      if proven.count == 1, let place = proven.first?.key {
        return .proven(PageCacheLayout(place: place))
      }
      return links.isEmpty || pageCount >= Self.mostPages ? .none : .undecided
    }

    private mutating func look(at header: Header, _ size: Int, _ memory: borrowing MemoryCopy) {
      guard header.isKnown else { return links = [:] }
      guard header.hasChanged else { return }
      for place in links.keys {
        if let count = newLinks(at: place, of: header, size, memory) {
          links[place]? += count
        } else {
          links[place] = nil
        }
      }
    }

    /// How many links a header has at a place; nil if what is there isn't a link.
    private func newLinks(
      at place: Int, of header: Header, _ size: Int, _ memory: borrowing MemoryCopy
    ) -> Int? {
      var count = 0
      for (offset, back) in [(place, place + wordSize), (place + wordSize, place)] {
        let address = header.word(at: offset)
        if address == 0 { continue }
        guard let page = memory.words(at: address, size: 2 * wordSize)?[1],
          let other = Header(of: page, size, memory), other.address == address,
          other.isKnown, other.hasChanged, other.word(at: back) == header.address
        else { return nil }
        count += 1
      }
      return count
    }

    /// A copy of a page's header.
    private struct Header {
      let address: UInt
      private let words: [UInt]
      /// The number in the page's entry.
      private let number: UInt32

      /// Nil if it isn't a page of the cache.
      init?(of page: UInt, _ size: Int, _ memory: borrowing MemoryCopy) {
        let entry = page &+ UInt(size)
        guard let entryWords = memory.words(at: entry, size: entrySize), entryWords[0] == page,
          headerDistances ~= entryWords[1] &- entry,
          let words = memory.words(at: entryWords[1], size: headerSize),
          words[0] == entry, words[1] == page
        else { return nil }
        address = entryWords[1]
        number = UInt32(truncatingIfNeeded: entryWords[2])
        self.words = words
      }

      func word(at offset: Int) -> UInt { words[offset / wordSize] }

      private var bits: UInt16 {
        UInt16(truncatingIfNeeded: word(at: numberOffset) >> (8 * (flagsOffset - numberOffset)))
      }

      /// Whether the number and the bits are where they are expected.
      var isKnown: Bool {
        UInt32(truncatingIfNeeded: word(at: numberOffset)) == number
          && (bits & flags.clean != 0) != (bits & flags.changed != 0)
      }

      var hasChanged: Bool { bits & flags.changed != 0 }
    }
  }
}

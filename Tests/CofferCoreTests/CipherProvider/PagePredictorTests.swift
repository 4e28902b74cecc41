import CofferTestSupport
import Testing

@testable import CofferVault

struct PagePredictorTests {
  /// An interior page with these children.
  private static func page(_ children: [UInt32], type: UInt8 = 5, size: Int = 4016) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: size)
    let cells = children.count - 1
    page[0] = type
    (page[3], page[4]) = (UInt8(cells >> 8), UInt8(cells & 0xFF))
    func write(_ number: UInt32, at offset: Int) {
      for byte in 0..<4 {
        page[offset + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte))
      }
    }
    for cell in 0..<cells {
      let offset = size - 6 * (cell + 1)
      (page[12 + 2 * cell], page[13 + 2 * cell]) = (UInt8(offset >> 8), UInt8(offset & 0xFF))
      write(children[cell], at: offset)
    }
    write(children[cells], at: 8)
    return page
  }

  private static func all(_ predictor: inout PagePredictor) -> [UInt32] {
    var pages: [UInt32] = []
    while let page = predictor.predict() { pages.append(page) }
    return pages
  }

  @Test(arguments: [5, 2] as [UInt8])
  func `after three children in order come the others`(_ type: UInt8) {
    var predictor = PagePredictor()
    defer { predictor.free() }
    predictor.noteInterior(Self.page([70, 20, 90, 30, 40], type: type), 4016)
    let begins = [70, 20, 90].map { predictor.noteOther($0) }
    #expect(begins == [false, false, true])
    #expect(Self.all(&predictor) == [30, 40])
    let end = predictor.predict()
    #expect(end == nil)
  }

  @Test func `a scan may begin in the middle, and leave out what is cached`() {
    var predictor = PagePredictor()
    defer { predictor.free() }
    predictor.noteInterior(Self.page(Array(10...60)), 4016)
    let begins = [30, 33, 35].map { predictor.noteOther($0) }
    #expect(begins == [false, false, true])
    #expect(Self.all(&predictor) == Array(36...60))
  }

  @Test func `pages of other tables may come between`() {
    var predictor = PagePredictor()
    defer { predictor.free() }
    predictor.noteInterior(Self.page(Array(10...20)), 4016)
    let begins = [10, 99, 11, 98, 97, 12].map { predictor.noteOther($0) }
    #expect(begins == [false, false, false, false, false, true])
  }

  @Test func `the next interior page needs one child alone`() {
    var predictor = PagePredictor()
    defer { predictor.free() }
    predictor.noteInterior(Self.page(Array(10...20)), 4016)
    for number in 10...12 as ClosedRange<UInt32> { _ = predictor.noteOther(number) }
    #expect(Self.all(&predictor) == Array(13...20))
    predictor.noteInterior(Self.page(Array(30...40)), 4016)
    let continues = predictor.noteOther(30)
    #expect(continues)
    #expect(Self.all(&predictor) == Array(31...40))
    predictor.stop()
    predictor.noteInterior(Self.page(Array(50...60)), 4016)
    let begins = predictor.noteOther(50)
    #expect(!begins)
  }

  @Test func `a lookup, a short range and random pages begin nothing`() {
    var generator = SeededGenerator()
    var predictor = PagePredictor()
    defer { predictor.free() }
    let children = (0..<400).map { UInt32($0) * 7 + 2 }
    for _ in 0..<200 {
      predictor.noteInterior(Self.page(children), 4016)
      let first = Int.random(in: 0..<399, using: &generator)
      let begins = [
        predictor.noteOther(children[first]), predictor.noteOther(children[first + 1]),
      ]
      #expect(begins == [false, false])
    }
  }

  @Test func `the opposite order is one, too, also for the next interior page`() {
    var predictor = PagePredictor()
    defer { predictor.free() }
    predictor.noteInterior(Self.page(Array(10...20)), 4016)
    let begins = [20, 19, 18].map { predictor.noteOther($0) }
    #expect(begins == [false, false, true])
    #expect(Self.all(&predictor) == Array(10...17).reversed())
    predictor.noteInterior(Self.page(Array(30...40)), 4016)
    let continues = predictor.noteOther(40)
    #expect(continues)
    #expect(Self.all(&predictor) == Array(30...39).reversed())
    predictor.stop()
    predictor.noteInterior(Self.page(Array(50...60)), 4016)
    let again = [50, 51, 52].map { predictor.noteOther($0) }
    #expect(again == [false, false, true])
    #expect(Self.all(&predictor) == Array(53...60))
  }

  @Test func `all pages can be predicted in the order of their numbers`() {
    var predictor = PagePredictor()
    defer { predictor.free() }
    predictor.beginSequence(after: 7, last: 10)
    // What the pages are says nothing then.
    predictor.noteInterior(Self.page(Array(70...80)), 4016)
    let begins = predictor.noteOther(70)
    #expect(!begins)
    #expect(Self.all(&predictor) == [8, 9, 10])
    predictor.beginSequence(after: .max - 1, last: .max - 1)
    #expect(Self.all(&predictor).isEmpty)
    predictor.beginSequence(after: 9, last: 3)
    #expect(Self.all(&predictor).isEmpty)
  }

  @Test func `any bytes are borne`() {
    var generator = SeededGenerator()
    var predictor = PagePredictor()
    defer { predictor.free() }
    for _ in 0..<2000 {
      let size = [16, 432, 976, 4016].randomElement(using: &generator)!
      var page = generator.bytes(size)
      page[0] = 5
      if Bool.random(using: &generator) { page[3] = 0 }
      predictor.noteInterior(page, size)
      for _ in 0..<4 { _ = predictor.noteOther(.random(in: 1...9, using: &generator)) }
      _ = predictor.predict()
    }
  }
}

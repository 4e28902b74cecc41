import Foundation
import Testing

@testable import Inventory

struct FileScanTests {
  @Test func `texts are found, each once`() {
    let scan = FileScan(Data("abcabc.aaaa.xyz".utf8), for: ["abc", "aa", "z", "no"])
    #expect(scan.counts == [2, 2, 1, 0])
    #expect(scan.totalCount == 5)
    #expect(scan.foundTexts == 3)
    #expect(scan.size == 15)
    #expect(scan.start == Data("abcabc.aaaa.xyz".utf8))
  }

  @Test func `entropy distinguishes noise from text`() {
    func bits(_ bytes: [UInt8]) -> Double { FileScan(Data(bytes), for: ["a"]).bitsPerByte }
    #expect(bits((0..<4096).map { UInt8(truncatingIfNeeded: $0) }) == 8)
    #expect(bits([1, 1, 1]) == 0)
    #expect(bits([1, 2]) == 1)
    #expect(bits([]) == 0)
  }

  @Test func `the beginning is shown without what a terminal obeys`() {
    let scan = FileScan(Data([0x1B, 0x41, 0x00, 0x7E, 0x7F, 0xC3]), for: [])
    #expect(scan.startAsText == "·A·~··")
  }
}

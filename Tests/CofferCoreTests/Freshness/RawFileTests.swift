import Foundation
import Testing

@testable import CofferCore

struct RawFileTests {
  @Test func `a lock ends with its object, though a starting process has the descriptor`()
    throws
  {
    let folder = try TemporaryDirectory()
    let path = folder.path("locked")
    var file: RawFile? = try RawFile(path: path, flags: O_RDWR | O_CREAT)
    #expect(try file?.lock(exclusively: true) == true)
    let other = try RawFile(path: path, flags: O_RDWR)
    #expect(try other.lock(exclusively: true) == false)
    // What `fork` does to it.
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let copies = names.compactMap(CInt.init).filter { descriptor in
      let link = "/proc/self/fd/\(descriptor)"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
    }.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    file = nil
    #expect(try other.lock(exclusively: true) == true)
  }
}

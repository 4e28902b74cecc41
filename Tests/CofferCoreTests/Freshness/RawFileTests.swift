import CofferTestSupport
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
    let copies = try OpenFiles.descriptors(of: path).map { dup($0) }
    defer { for copy in copies { close(copy) } }
    file = nil
    #expect(try other.lock(exclusively: true) == true)
  }
}

import Testing

@testable import CofferToolKit

struct CheckTests {
  @Test func `what SQLite can't check is no damage`() {
    let table = "unable to validate the inverted index for FTS4 table main.f: "
    #expect(FileCheck.isUncheckable(table + "SQL logic error"))
    #expect(FileCheck.isUncheckable(table + "attempt to write a readonly database"))
    #expect(!FileCheck.isUncheckable(table + "database disk image is malformed"))
    #expect(!FileCheck.isUncheckable("malformed inverted index for FTS4 table main.f"))
  }
}

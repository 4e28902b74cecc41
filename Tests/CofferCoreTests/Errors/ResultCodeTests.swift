import CSQLCipher
@testable import CofferCore
import Testing

@Suite struct ResultCodeTests {
  @Test func `numbers are those of SQLite's header`() {
    let codes: [(ResultCode, CInt)] = [
      (.SQLITE_OK, SQLITE_OK), (.SQLITE_ERROR, SQLITE_ERROR), (.SQLITE_BUSY, SQLITE_BUSY),
      (.SQLITE_IOERR, SQLITE_IOERR), (.SQLITE_CONSTRAINT, SQLITE_CONSTRAINT),
      (.SQLITE_NOTADB, SQLITE_NOTADB), (.SQLITE_ROW, SQLITE_ROW), (.SQLITE_DONE, SQLITE_DONE),
    ]
    for (code, number) in codes { #expect(code.rawValue == number) }
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue == 2067)
    #expect(ResultCode.SQLITE_IOERR_CORRUPTFS.rawValue == 8458)
    #expect(ResultCode.SQLITE_OK_SYMLINK.rawValue == 512)
    #expect(DatabaseError.SQLITE_CONSTRAINT_UNIQUE == .SQLITE_CONSTRAINT_UNIQUE)
  }

  @Test func `an extended code refines its primary code`() {
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode == .SQLITE_CONSTRAINT)
    #expect(ResultCode.SQLITE_CONSTRAINT.primaryResultCode == .SQLITE_CONSTRAINT)
    #expect(ResultCode.SQLITE_DONE.primaryResultCode == .SQLITE_DONE)
    #expect(ResultCode(rawValue: 19 | 99 << 8).primaryResultCode == .SQLITE_CONSTRAINT)
  }

  @Test func `a primary pattern matches extended codes, an extended one itself only`() {
    #expect(ResultCode.SQLITE_CONSTRAINT ~= ResultCode.SQLITE_CONSTRAINT_UNIQUE)
    #expect(ResultCode.SQLITE_CONSTRAINT ~= ResultCode.SQLITE_CONSTRAINT)
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= ResultCode.SQLITE_CONSTRAINT_UNIQUE)
    #expect(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= ResultCode.SQLITE_CONSTRAINT))
    #expect(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= ResultCode.SQLITE_CONSTRAINT_CHECK))
    #expect(!(ResultCode.SQLITE_BUSY ~= ResultCode.SQLITE_CONSTRAINT_UNIQUE))
    #expect(ResultCode.SQLITE_CONSTRAINT != .SQLITE_CONSTRAINT_UNIQUE)
  }

  @Test func `an error is matched by its extended code`() {
    struct Other: Error {}
    func name(_ error: any Error) -> String {
      switch error {
      case DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY: "foreign key"
      case DatabaseError.SQLITE_CONSTRAINT: "constraint"
      case ResultCode.SQLITE_BUSY: "busy"
      default: "other"
      }
    }
    #expect(name(DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY)) == "foreign key")
    #expect(name(DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE)) == "constraint")
    #expect(name(DatabaseError(resultCode: .SQLITE_BUSY_SNAPSHOT)) == "busy")
    #expect(name(DatabaseError(resultCode: .SQLITE_FULL)) == "other")
    #expect(name(Other()) == "other")
  }

  @Test func `the description has the number and SQLite's words`() {
    #expect(ResultCode.SQLITE_CONSTRAINT.description == "19 (constraint failed)")
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.description == "2067 (constraint failed)")
    #expect(ResultCode(rawValue: 77).description == "77 (unknown error)")
    #expect(ResultCode(rawValue: -1).description.hasPrefix("-1 ("))
  }
}

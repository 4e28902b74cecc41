import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

@testable import CofferCore

/// Empty files that are there before a new database.
@Suite struct NewDatabaseFileTests {
  let directory: TemporaryDirectory
  let key = DatabaseKey.seeded()
  var path: String { directory.path("db") }

  init() throws { directory = try TemporaryDirectory() }

  private func touch(_ name: String) throws {
    try Data().write(to: URL(fileURLWithPath: directory.path(name)))
  }

  private func write(_ name: String = "db") throws { try write(name, key: key) }

  private func write(_ name: String, key: DatabaseKey?) throws {
    var configuration = Configuration()
    configuration.key = key
    let queue = try DatabaseQueue(path: directory.path(name), configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try queue.close()
  }

  private func size(_ name: String) throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: directory.path(name))).count
  }

  private func expectRefusal(_ name: String, _ reason: String) throws {
    for key in [nil, key] {
      let error = databaseError { try write(name, key: key) }
      #expect(error?.resultCode == .SQLITE_PERM)
      #expect(error?.message?.contains(reason) == true, "\(error as Any)")
    }
    #expect(
      databaseError { try DatabasePool(path: directory.path(name), key: key) }?.resultCode
        == .SQLITE_PERM)
  }

  @Test func `an own empty file becomes a database, also by a link`() throws {
    try touch("db")
    chmod(path, 0o600)
    try write()
    #expect(try size("db") > 0)
    try touch("file")
    symlink("file", directory.path("link"))
    symlink("link", directory.path("second"))
    try write("second")
    #expect(try size("file") > 0)
    symlink("missing", directory.path("third"))
    try write("third")
    #expect(try size("missing") > 0)
  }

  @Test func `a file with a second name becomes none`() throws {
    try touch("victim")
    link(directory.path("victim"), path)
    try expectRefusal("db", "it has another name besides")
    symlink("db", directory.path("link"))
    try expectRefusal("link", "it has another name besides")
    #expect(try size("victim") == 0)
    // What is a database already stays one.
    unlink(path)
    try write()
    link(path, directory.path("copy"))
    try DatabaseQueue(path: path, key: key).read { db throws in
      #expect(try db.tableExists("t"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `another user's file or link becomes none where he may have put it`() throws {
    chmod(directory.path, 0o1777)
    try touch("db")
    chown(path, 65534, 65534)
    try expectRefusal("db", "it belongs to another user")
    symlink("missing", directory.path("link"))
    lchown(directory.path("link"), 65534, 65534)
    try expectRefusal("link", "it belongs to another user")
    #expect(try size("db") == 0)
    #expect(try directory.contents() == ["db", "link"])
    // Nothing is written to it.
    var configuration = Configuration()
    configuration.readonly = true
    try DatabaseQueue(path: path, configuration: configuration).close()
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `another user's file is used where only he or this user can put files`() throws {
    try touch("db")
    chown(path, 65534, 65534)
    try write()
    #expect(try size("db") > 0)
    chown(directory.path, 65534, 65534)
    try touch("second")
    chown(directory.path("second"), 65534, 65534)
    try write("second")
    #expect(try size("second") > 0)
  }
}

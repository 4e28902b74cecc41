import Coffer
import Foundation
import Testing

@testable import CofferArchive
@testable import CofferToolKit

struct ArchiveScenarios {
  private static let count = "SELECT count(*) AS n FROM player"

  /// A vault with an archive of three commits, each after another run.
  private func made() throws -> Vault {
    let vault = try Vault()
    for name in ["", "Ford", "Trillian"] {
      if !name.isEmpty {
        let run = try vault.run("exec", "vault.db", "INSERT INTO player (name) VALUES ('\(name)')")
        #expect(run.code == 0, "\(run.error)")
      }
      let run = try vault.run("archive", "run", "vault.db", "--to", "arch", "--once")
      #expect(run.code == 0 && run.output == "" && run.error == "", "\(run.error)")
    }
    return vault
  }

  private func objects(_ vault: Vault, _ kind: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: vault.folder.path("arch/\(kind)")).sorted()
      .map { "arch/\(kind)/\($0)" }
  }

  /// Runs a command about an archive.
  private func archive(_ vault: Vault, _ arguments: [String]) throws -> ToolRun {
    try runTool(["archive"] + arguments + ["--key-file", "key"], in: vault.folder)
  }

  private struct Range: Decodable {
    var first: UInt64
    var firstDate: String
    var last: UInt64
    var lastDate: String
  }

  private func ranges(_ vault: Vault) throws -> [Range] {
    let list = try vault.run("archive", "list", "--from", "arch", "--json")
    #expect(list.code == 0, "\(list.error)")
    return try JSONDecoder().decode([Range].self, from: Data(list.output.utf8))
  }

  @Test func `what was archived is listed, verified and restored`() throws {
    let vault = try made()
    let ranges = try ranges(vault)
    #expect(ranges.first?.first == 1 && ranges.last?.last == 3)
    let table = try vault.run("archive", "list", "--from", "arch")
    #expect(table.lines.count == ranges.count + 2)
    let verified = try vault.run("archive", "verify", "--from", "arch")
    #expect(
      verified.code == 0 && verified.output == "commit 3 of \(ranges.last?.lastDate ?? "")\n",
      "\(verified.output)")
    let restored = try vault.run("archive", "restore", "restored.db", "--from", "arch")
    #expect(restored.code == 0, "\(restored.error)")
    #expect(restored.output == "commit 3 of \(ranges.last?.lastDate ?? "")\n")
    #expect(try vault.run("query", "restored.db", Self.count).output == "n\r\n5\r\n")
    #expect(try vault.run("check", "restored.db").code == 0)

    let status = try vault.run("archive", "status", "--from", "arch", "--json")
    let facts = try #require(
      JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
    #expect(facts["commit"] as? Int == 3 && facts["date"] as? String == ranges.last?.lastDate)
    #expect(
      facts["hasWriter"] as? Bool == false
        && facts["pageSize"] as? Int == (Vault.isSQLCipher3 ? 1024 : 4096))
    #expect(facts["ranges"] as? Int == ranges.count && facts["ageSeconds"] as? Int != nil)
    let text = try vault.run("archive", "status", "--from", "arch")
    #expect(text.code == 0 && text.output.contains("Last commit"))
  }

  @Test func `a copy follows an archive, and is read by others`() throws {
    let vault = try made()
    for count in 5...6 {
      let follow = try vault.run("archive", "follow", "copy.db", "--from", "arch", "--once")
      #expect(
        follow.code == 0 && follow.output.hasPrefix("commit \(count - 2) of "), "\(follow.error)")
      #expect(try vault.run("query", "copy.db", Self.count).output == "n\r\n\(count)\r\n")
      #expect(try vault.run("check", "copy.db").code == 0)
      let sql = "INSERT INTO player (name) VALUES ('Marvin')"
      #expect(try vault.run("exec", "vault.db", sql).code == 0)
      #expect(try vault.run("archive", "run", "vault.db", "--to", "arch", "--once").code == 0)
    }
    let other = try vault.run("archive", "follow", "vault.db", "--from", "arch", "--once")
    #expect(other.code != 0 && other.error.contains("vault.db"), "\(other.error)")
    #expect(try vault.run("query", "vault.db", Self.count).output == "n\r\n7\r\n")
  }

  @Test func `a commit is restored by its number, and by each form of its date`() throws {
    let vault = try made()
    let first = try #require(try ranges(vault).first)
    #expect(first.firstDate.count == 24)
    let date = try Date(
      first.firstDate, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    // By local time, with the milliseconds of the other form.
    let seconds = date.formatted(
      Date.VerbatimFormatStyle(
        format:
          "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
    let local = seconds + "." + first.firstDate.dropLast().suffix(3)
    for (index, point) in ["1", first.firstDate, local].enumerated() {
      let run = try vault.run(
        "archive", "restore", "r\(index).db", "--from", "arch", "--at", point, "--json")
      #expect(run.output == "{\"commit\":1,\"date\":\"\(first.firstDate)\"}\n", "\(run.error)")
      #expect(try vault.run("query", "r\(index).db", Self.count).output == "n\r\n3\r\n")
    }
    for (point, code) in [("4", 66), ("0", 66), ("2020-01-01", 66), ("Tuesday", 2)] {
      let run = try vault.run("archive", "restore", "none.db", "--from", "arch", "--at", point)
      #expect(run.code == code && run.hasOneErrorLine, "\(run.error)")
    }
    #expect(try !vault.folder.contents().contains { $0.hasPrefix("none.db") })
  }

  @Test func `a commit of a clock that was ahead lies in the future, and dates say so`() throws {
    let vault = try Vault()
    var configuration = ArchiveConfiguration()
    configuration.now = { Date() + 3 * 86_400 }
    let target = FolderDestination(path: vault.folder.path("arch"))
    let key = vault.folder.path("key")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let pool = try DatabasePool(path: vault.path, key: .file(key))
    let session = try Archive(target, configuration: configuration).start(pool)
    try session.archiveNow()
    try session.stop()
    try pool.close()
    let restore = try vault.run(
      "archive", "restore", "r.db", "--from", "arch", "--at", "2999-01-01")
    #expect(restore.code == 0 && restore.error.contains("aren't in order"), "\(restore.error)")
    #expect(restore.hasOneErrorLine)
    let status = try vault.run("archive", "status", "--from", "arch", "--json")
    #expect(status.output.contains("\"ageSeconds\":null,\"aheadSeconds\":25"), "\(status.output)")
    let text = try vault.run("archive", "status", "--from", "arch")
    #expect(text.output.contains("in the future"), "\(text.output)")
  }

  @Test(arguments: [
    ("2026-11-23T17:00:00Z", "2026-11-23T17:00:00.000Z"),
    ("2026-11-23 17:00Z", "2026-11-23T17:00:00.000Z"),
    ("2026-11-23T18:30:00.25+01:30", "2026-11-23T17:00:00.250Z"),
    ("2026-11-23T16:59:59.9999-00:00", "2026-11-23T16:59:59.999Z"),
  ])
  func `a date with a zone is that moment`(text: String, date: String) throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard case .date(let parsed) = try ArchivePoint(text) else {
      Issue.record("\(text) is no date")
      return
    }
    let distance = try parsed.timeIntervalSince(Date(date, strategy: style))
    #expect(abs(distance) < 0.0001)
  }

  @Test func `a day is its end`() throws {
    let parsed = try ArchivePoint("2026-11-23")
    let components = DateComponents(year: 2026, month: 11, day: 24)
    let next = try #require(Calendar(identifier: .gregorian).date(from: components))
    #expect(parsed == .date(next - 0.001))
  }

  @Test(arguments: [
    "", "2026-02-30", "2026-11-23T25:00:00Z", "2026-11-23T17", "2026-11-23 17:00:60", "-1",
    "2026-11-23Z", "99999999999999999999", "2026-11-23T17:00:00+01", "٢٠٢٦-11-23", "Latest",
  ])
  func `what is no date is refused`(text: String) {
    #expect(throws: ToolError.self) { try ArchivePoint(text) }
  }

  @Test func `a file that exists is kept`() throws {
    let vault = try made()
    for name in ["vault.db", "key"] {
      let before = try vault.contents(of: name)
      let run = try vault.run("archive", "restore", name, "--from", "arch")
      #expect(run.code == 73 && run.hasOneErrorLine, "\(run.error)")
      #expect(try vault.contents(of: name) == before)
    }
    let nowhere = try vault.run("archive", "restore", "none/r.db", "--from", "arch")
    #expect(nowhere.code == 73 && nowhere.hasOneErrorLine, "\(nowhere.error)")
  }

  @Test func `a damaged object is found, and isn't restored`() throws {
    let vault = try made()
    let object = try #require(try objects(vault, "layer").last)
    var bytes = try vault.contents(of: object)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: vault.folder.path(object)))
    let verified = try vault.run("archive", "verify", "--from", "arch")
    #expect(verified.code == 3 && verified.error == "")
    #expect(verified.lines.count == 2 && verified.output.contains(object.dropFirst("arch/".count)))
    let restored = try vault.run("archive", "restore", "r.db", "--from", "arch")
    #expect(restored.code == 65 && restored.hasOneErrorLine, "\(restored.error)")
    #expect(restored.error.contains("--at can be 1"), "\(restored.error)")
    #expect(try !vault.folder.contents().contains { $0.hasPrefix("r.db") })
    // An earlier one is whole.
    #expect(try vault.run("archive", "restore", "r.db", "--from", "arch", "--at", "1").code == 0)
    try FileManager.default.removeItem(atPath: vault.folder.path(object))
    let missing = try vault.run("archive", "verify", "--from", "arch")
    #expect(missing.code == 3 && missing.output.contains("is missing"))
    let list = try vault.run("archive", "list", "--from", "arch")
    #expect(list.code == 0 && list.hasOneErrorLine && list.error.contains("is missing"))
    let status = try vault.run("archive", "status", "--from", "arch", "--json")
    #expect(
      status.code == 0 && status.output.contains("\"problems\":[\"the archive's object layer/"))
  }

  @Test func `an archive that doesn't reach what it has to ends with 3, and says what it reaches`()
    throws
  {
    let vault = try made()
    let first = try #require(try ranges(vault).first)
    let last = try #require(try ranges(vault).last)
    let commands = [
      ["verify"], ["restore", "r.db"], ["restore", "r.db", "--at", "1"],
      ["follow", "f.db", "--once"],
    ]
    for command in commands {
      for point in ["4", "2999-01-01", "2999-01-01T00:00:00Z"] {
        let run = try archive(
          vault, command + ["--from", "arch", "--at-least", point])
        #expect(run.code == 3 && run.hasOneErrorLine, "\(command) \(run.error)")
        #expect(run.error.contains("commit 3 of \(last.lastDate)"), "\(run.error)")
      }
      let wrong = try archive(vault, command + ["--from", "arch", "--at-least", "latest"])
      #expect(wrong.code == 2 && wrong.hasOneErrorLine, "\(wrong.error)")
    }
    #expect(try !vault.folder.contents().contains { $0.hasPrefix("r.db") || $0.hasPrefix("f.db") })
    for (index, point) in ["3", last.lastDate, first.firstDate, "2026-01-01"].enumerated() {
      for command in [["verify"], ["restore", "r\(index).db"], ["follow", "f.db", "--once"]] {
        let run = try archive(vault, command + ["--from", "arch", "--at-least", point])
        #expect(run.code == 0, "\(command) \(point) \(run.error)")
        #expect(run.output == "commit 3 of \(last.lastDate)\n", "\(command)")
      }
    }
  }

  @Test func `an anchor shows that an archive has lost its end`() throws {
    let vault = try Vault()
    for name in ["Ford", "Trillian"] {
      let change = try vault.run("exec", "vault.db", "UPDATE player SET name = '\(name)'")
      #expect(change.code == 0, "\(change.error)")
      if name == "Trillian" {
        #expect(try vault.bash("cp -r arch earlier").code == 0)
      }
      let run = try vault.run(
        "archive", "run", "vault.db", "--to", "arch", "--once", "--anchor", "anchor")
      #expect(run.code == 0, "\(run.error)")
    }
    for command in [["verify"], ["restore", "r.db"], ["follow", "f.db", "--once"]] {
      let whole = try archive(vault, command + ["--from", "arch", "--anchor", "anchor"])
      #expect(whole.code == 0 && whole.output.hasPrefix("commit 2 of "), "\(whole.error)")
      let other = command.map { $0.replacing(".db", with: "-other.db") }
      let less = try archive(vault, other + ["--from", "earlier", "--anchor", "anchor"])
      #expect(less.code == 3 && less.hasOneErrorLine, "\(less.error)")
      #expect(less.error.contains("commit 1 of "), "\(less.error)")
    }
    let none = try vault.run("archive", "verify", "--from", "arch", "--anchor", "none")
    #expect(none.code == 65 && none.hasOneErrorLine, "\(none.error)")
  }

  @Test func `pruning deletes what isn't kept, and never the last commit`() throws {
    let vault = try Vault()
    // A commit in the log, and then a copy of all pages.
    let made = try vault.bash(
      Self.started + """
        change() { $coffer exec vault.db "UPDATE player SET name = '$1'" --key-file key; }
        change Ford; until_has 2; kill -TERM $archiver; wait $archiver || exit 98
        change Trillian; $coffer archive run vault.db --to arch --once --key-file key
        """)
    #expect(made.code == 0, "\(made.error)")
    let last = try #require(try ranges(vault).last?.last)
    let nothing = try vault.run("archive", "prune", "--from", "arch", "--keep-days", "1d")
    #expect(nothing.code == 0 && Int(nothing.output.dropLast()) != nil, "\(nothing.error)")
    #expect(try ranges(vault).first?.first == 1)
    Thread.sleep(forTimeInterval: 1.1)
    let layers = try objects(vault, "layer").count
    let pruned = try vault.run(
      "archive", "prune", "--from", "arch", "--keep-commits", "1s", "--keep-5min", "1s",
      "--keep-hours", "1s", "--keep-days", "1s")
    #expect(pruned.code == 0, "\(pruned.error)")
    #expect(Int(pruned.output.dropLast()) ?? 0 >= 2)
    #expect(try objects(vault, "layer").count < layers)
    #expect(try ranges(vault).map(\.first) == [last])
    #expect(try vault.run("archive", "verify", "--from", "arch").code == 0)
    let run = try vault.run(
      "archive", "run", "vault.db", "--to", "arch", "--once", "--keep-commits", "2d",
      "--keep-5min", "4d", "--keep-hours", "20d", "--keep-days", "100d", "--snapshots", "1d",
      "--log-limit", "64")
    #expect(run.code == 0, "\(run.error)")
    for option in ["--log-limit=0", "--snapshots=soon"] {
      let run = try vault.run("archive", "run", "vault.db", "--to", "arch", option)
      #expect(run.code == 2 && run.hasOneErrorLine, "\(run.error)")
    }
    for duration in ["1", "d", "1y", "-1d", "1.5d", "99999999999999d"] {
      let run = try vault.run("archive", "prune", "--from", "arch", "--keep-days", duration)
      #expect(run.code == 2 && run.hasOneErrorLine, "\(duration): \(run.error)")
    }
  }

  @Test(arguments: [
    ("list --from arch --passphrase-file passphrase", 77), ("list --from arch", 77),
    ("verify --from arch --passphrase-file passphrase", 77),
    ("restore r.db --from arch --key-file otherkey", 77),
    ("list --from arch --recovery-key-file recovery", 77),
    ("run vault.db --to arch --once --key-file otherkey", 77),
    ("run vault.db --to other --once", 77), ("run none.db --to arch --once --key-file key", 66),
    ("run plain.db --to other --once", 65),
    ("run vault.db --to key/arch --once --key-file key", 74),
    ("list --from none --key-file key", 66), ("list --from key --key-file key", 74),
    ("status --from none --key-file key", 66), ("verify --from none --key-file key", 66),
    ("prune --from none --key-file key", 66), ("restore r.db --from none --key-file key", 66),
    ("list --key-file key", 2), ("list --from arch extra --key-file key", 2),
    ("run vault.db --key-file key", 2), ("restore --from arch --key-file key", 2),
    ("run vault.db --to arch --interval 0 --key-file key", 2),
    ("run vault.db --to arch --interval soon --key-file key", 2),
    ("list --from ftp://key:SECRET@host --key-file key", 2), ("frob --from arch", 2),
    ("list --from arch --cipher kdf-iter=5,page-size=8192 --key-file key", 0),
  ])
  func `what fails is told in one line`(command: String, code: Int32) throws {
    let vault = try Vault()
    let once = try vault.run("archive", "run", "vault.db", "--to", "arch", "--once")
    #expect(once.code == 0, "\(once.error)")
    let run = try vault.bash(
      """
      $coffer keygen otherkey
      echo 7ZZZZ-7ZZZZ >recovery
      $coffer decrypt vault.db plain.db --key-file key --yes
      $coffer archive \(command) </dev/null
      """)
    #expect(run.code == code, "\(run.error)")
    guard code != 0 else { return }
    #expect(run.hasOneErrorLine && run.output == "", "\(run.error)")
    #expect(!run.error.contains("SECRET"))
    #expect(try !vault.folder.contents().contains { $0.hasPrefix("r.db") })
  }

  #if !S3
    @Test func `an object store needs the trait`() throws {
      let vault = try Vault()
      let run = try vault.run("archive", "list", "--from", "s3://bucket/prefix")
      #expect(run.code == 69 && run.hasOneErrorLine && run.error.contains("--traits S3"))
    }
  #endif

  @Test func `the key slots of the database open its archive`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      set -e
      $coffer create s.db --slots --passphrase-file passphrase
      $coffer exec s.db 'CREATE TABLE t (a); INSERT INTO t VALUES (7)' --passphrase-file passphrase
      $coffer key recovery s.db --passphrase-file passphrase >recovery
      $coffer key export s.db --yes --passphrase-file passphrase >data
      $coffer archive run s.db --to arch --once --passphrase-file passphrase
      $coffer archive verify --from arch --recovery-key-file recovery
      $coffer archive verify --from arch --key-file data
      $coffer archive restore r.db --from arch --passphrase-file passphrase
      $coffer query r.db 'SELECT a FROM t' --recovery-key-file recovery
      """)
    #expect(run.code == 0, "\(run.error)")
    #expect(run.output.hasSuffix("a\r\n7\r\n"))
    #expect(try vault.folder.contents().contains("r.db-keys"))
    for option in ["--passphrase-file other", "--key-file key"] {
      let wrong = try vault.bash("$coffer archive list --from arch \(option)")
      #expect(wrong.code == 77 && wrong.hasOneErrorLine, "\(wrong.error)")
    }
  }

  @Test(arguments: [
    ("--from none --key-file key", 66), ("--from arch --key-file otherkey", 77),
    ("--from key/arch --key-file key --once", 74),
  ])
  func `a follower that can't begin leaves nothing`(options: String, code: Int32) throws {
    let vault = try made()
    let run = try vault.bash(
      """
      $coffer keygen otherkey
      $coffer archive follow copy.db \(options) </dev/null
      """)
    #expect(run.code == code && run.hasOneErrorLine, "\(run.error)")
    #expect(try !vault.folder.contents().contains { $0.hasPrefix("copy.db") })
  }

  @Test func `a follower waits for a target that is away, and tells so once`() throws {
    let vault = try made()
    let run = try vault.bash(
      """
      touch away
      ln -s away disk
      mkdir back
      mv arch back/arch
      ln -s back next
      $coffer archive follow copy.db --from disk/arch --interval 0.05 --key-file key 2>errors &
      follower=$!
      for i in {1..300}; do if grep -qs coffer errors; then break; fi; sleep 0.1; done
      mv -T next disk
      for i in {1..300}; do if [ -e copy.db ]; then break; fi; sleep 0.1; done
      kill -TERM $follower
      wait $follower
      code=$?
      cat errors >&2
      exit $code
      """)
    #expect(run.code == 0 && run.output.hasPrefix("commit 3 of "), "\(run.output) \(run.error)")
    #expect(try vault.run("query", "copy.db", Self.count).output == "n\r\n5\r\n")
  }

  @Test func `a followed file that somebody else wrote to is refused, with what to do`() throws {
    let vault = try made()
    let follow = "$coffer archive follow copy.db --from arch --once --key-file key"
    let run = try vault.bash(
      """
      \(follow) || exit 98
      mv copy.db-follow aside
      $coffer exec copy.db "UPDATE player SET name = 'Ford'" --key-file key || exit 99
      mv aside copy.db-follow
      \(follow)
      """)
    #expect(
      run.code == 76 && run.hasOneErrorLine && run.error.contains("Delete it"), "\(run.error)")
  }

  @Test func `a follower that somebody writes to meanwhile ends with 76, and advises no write`()
    throws
  {
    let vault = try made()
    let run = try vault.bash(
      """
      $coffer archive follow copy.db --from arch --interval 0.05 --key-file key >/dev/null 2>errors &
      follower=$!
      for i in {1..600}; do if [ -e copy.db-shm ]; then break; fi; sleep 0.1; done
      mv copy.db-follow aside
      $coffer exec copy.db "UPDATE player SET name = 'Ford'" --key-file key || exit 99
      mv aside copy.db-follow
      $coffer exec vault.db "UPDATE player SET name = 'Zaphod'" --key-file key || exit 98
      $coffer archive run vault.db --to arch --once --key-file key || exit 97
      wait $follower
      code=$?
      cat errors >&2
      exit $code
      """)
    #expect(run.code == 76 && run.error.contains("Delete it"), "\(run.code) \(run.error)")
    #expect(!run.error.contains("coffer exec"))
  }

  @Test(arguments: [
    "exec copy.db 'DELETE FROM note'", "import copy.db player none.csv", "rekey copy.db",
    "archive run copy.db --to other",
  ])
  func `a follower's file is written to by nothing else`(command: String) throws {
    let vault = try made()
    let run = try vault.bash(
      """
      echo name >none.csv
      $coffer archive follow copy.db --from arch --once --key-file key || exit 98
      $coffer \(command) --key-file key </dev/null
      """)
    #expect(run.code == 76 && run.error.contains("archive restore"), "\(run.code) \(run.error)")
    #expect(try vault.run("archive", "follow", "copy.db", "--from", "arch", "--once").code == 0)
  }

  @Test func `a copy is promoted, and the old database is refused and can be compared`() throws {
    let vault = try made()
    let run = try vault.bash(
      """
      $coffer archive run vault.db --to arch --key-file key 2>errors &
      archiver=$!
      until $coffer archive status --from arch --json --key-file key | grep -q '"hasWriter":true'; do sleep 0.1; done
      $coffer archive follow copy.db --from arch --once --key-file key || exit 98
      kill -KILL $archiver; wait $archiver
      $coffer exec vault.db "UPDATE player SET name = 'Ford'" --key-file key || exit 97
      $coffer archive promote copy.db --from arch --key-file key || exit 96
      $coffer exec copy.db "UPDATE player SET name = 'Zaphod'" --key-file key || exit 95
      $coffer archive run copy.db --to arch --once --key-file key || exit 94
      $coffer archive run vault.db --to arch --once --key-file key 2>/dev/null; [ $? = 75 ] || exit 93
      $coffer diff vault.db copy.db --key-file key --new-key-file key >/dev/null; [ $? = 3 ] || exit 92
      $coffer archive verify --from arch --key-file key >/dev/null || exit 91
      $coffer archive promote copy.db --from arch --key-file key 2>/dev/null; [ $? = 76 ] || exit 90
      """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
    #expect(try vault.run("archive", "restore", "r.db", "--from", "arch").code == 0)
    let names = try vault.run("query", "r.db", "SELECT DISTINCT name AS name FROM player")
    #expect(names.output == "name\r\nZaphod\r\n")
  }

  @Test func `a follower whose archive is gone doesn't end as if all were well`() throws {
    let vault = try made()
    let run = try vault.bash(
      """
      $coffer archive follow copy.db --from arch --interval 0.05 --key-file key >/dev/null 2>errors &
      follower=$!
      for i in {1..600}; do if [ -e copy.db-shm ]; then break; fi; sleep 0.1; done
      mv arch away
      for i in {1..600}; do if grep -qs 'the archive is gone' errors; then break; fi; sleep 0.1; done
      kill -TERM $follower
      wait $follower
      """)
    #expect(run.code == 74, "\(run.code)")
  }

  @Test func `a restore that SIGTERM or Ctrl-C ends leaves nothing`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      $coffer exec vault.db 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
        INSERT INTO note (text) SELECT hex(zeroblob(2000)) FROM n' --key-file key >/dev/null || exit 98
      $coffer archive run vault.db --to arch --once --key-file key || exit 99
      for signal in TERM INT TERM INT; do
        rm -f r.db
        $coffer archive restore r.db --from arch --key-file key >/dev/null 2>&1 &
        restore=$!
        for i in {1..500}; do
          if [ -e r.db.coffer-partial ] || [ -e r.db ]; then break; fi
          sleep 0.01
        done
        kill -$signal $restore
        wait $restore
        echo $? $(ls -A | grep -c '^r.db')
      done
      """)
    #expect(run.code == 0 && run.lines.count == 4, "\(run.error)")
    // One that was done before the signal came has its file.
    for line in run.lines { #expect(["143 0", "130 0", "0 1"].contains(line)) }
  }

  @Test func `slots that a killed restore left don't stop the next one`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      $coffer create s.db --slots --passphrase-file passphrase
      $coffer archive run s.db --to arch --once --passphrase-file passphrase
      cp s.db-keys r.db-keys
      $coffer archive restore r.db --from arch --passphrase-file passphrase || exit 98
      echo other >q.db-keys
      $coffer archive restore q.db --from arch --passphrase-file passphrase
      """)
    #expect(
      run.code == 73 && run.hasOneErrorLine && run.error.contains("q.db-keys"), "\(run.error)")
  }

  /// Starts `archive run` in the background, and waits until the archive has a commit.
  private static let started = """
    $coffer archive run vault.db --to arch --interval 0.05 --key-file key 2>errors &
    archiver=$!
    has() { $coffer archive status --from arch --json --key-file key 2>&1 | grep -q "\\"commit\\":$1"; }
    until_has() { for i in {1..300}; do if has "$1"; then return; fi; sleep 0.1; done; exit 99; }
    until_has 1
    writer() { $coffer archive status --from arch --json --key-file key | sed 's/.*"writer":\\([0-9]*\\).*/\\1/'; }

    """

  @Test func `SIGTERM ends a run, after the last commits were archived`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        for i in 1 2 3; do $coffer exec vault.db 'DELETE FROM note' --key-file key; done
        $coffer exec vault.db "UPDATE player SET name = 'Ford'" --key-file key
        kill -TERM $archiver
        wait $archiver
        code=$?
        cat errors >&2
        exit $code
        """)
    #expect(run.code == 0 && run.error == "", "\(run.code) \(run.error)")
    let status = try vault.run("archive", "status", "--from", "arch", "--json")
    #expect(status.output.contains("\"hasWriter\":false"))
    #expect(try vault.run("archive", "restore", "r.db", "--from", "arch").code == 0)
    let names = try vault.run("query", "r.db", "SELECT DISTINCT name AS name FROM player")
    #expect(names.output == "name\r\nFord\r\n")
    #expect(try vault.run("archive", "verify", "--from", "arch").code == 0)
  }

  @Test func `a run whose archive was taken over ends with 75`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        number=$(writer)
        $coffer archive prune --from arch --take-over $number --key-file key >/dev/null || exit 98
        # The number of one that was taken over wins no second time.
        $coffer archive run vault.db --to arch --take-over $number --once --key-file key 2>/dev/null && exit 97
        kill -TERM $archiver
        wait $archiver
        code=$?
        cat errors >&2
        exit $code
        """)
    #expect(run.code == 75 && run.hasOneErrorLine, "\(run.code) \(run.error)")
    #expect(try vault.run("archive", "verify", "--from", "arch").code == 0)
  }

  @Test func `too many open files, a second target and lost slots are called so`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        $coffer archive run vault.db --to other --once --key-file key 2>second; [ $? = 75 ] || exit 98
        kill -TERM $archiver; wait $archiver || exit 97
        $coffer create s.db --slots --passphrase-file passphrase || exit 96
        mv s.db-keys away
        $coffer tables s.db --passphrase-file passphrase 2>slots; [ $? = 77 ] || exit 95
        head -c 32 vault.db-archive >before
        for n in {4..40}; do
          (ulimit -n $n; $coffer archive run vault.db --to arch --once --key-file key) 2>>many >>many
        done
        # The file isn't taken for a copy's, which would be another writer.
        head -c 32 vault.db-archive | cmp - before || exit 94
        cat second slots >&2
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
    #expect(run.error.contains("one archive at a time") && !run.error.contains("take-over"))
    #expect(run.error.contains("-keys"), "\(run.error)")
    let many = String(decoding: try vault.contents(of: "many"), as: UTF8.self)
    #expect(many.contains("Too many") && !many.contains("rights"), "\(many)")
    #expect(!many.contains("permission"), "\(many)")
  }

  @Test func `a second writer ends with 75, unless it takes over from one that was killed`() throws
  {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        $coffer archive run vault.db --to arch --once --key-file key; echo $?
        $coffer archive prune --from arch --key-file key; echo $?
        $coffer exec vault.db 'DELETE FROM note' --key-file key >/dev/null
        kill -KILL $archiver
        wait $archiver
        $coffer archive prune --from arch --key-file key; echo $?
        $coffer archive prune --from arch --take-over 7 --key-file key >/dev/null; echo $?
        $coffer archive prune --from arch --take-over "$(writer)" --key-file key >/dev/null; echo $?
        $coffer archive run vault.db --to arch --once --key-file key; echo $?
        """)
    #expect(run.lines == ["75", "75", "75", "75", "0", "0"], "\(run.error)")
  }

  @Test func `a run waits for a target that is away, and tells so once`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      touch disk
      $coffer archive run vault.db --to disk/arch --interval 0.05 --key-file key 2>errors &
      archiver=$!
      for i in {1..300}; do if grep -qs coffer errors; then break; fi; sleep 0.1; done
      rm disk; mkdir disk
      for i in {1..300}; do if grep -qs 'goes on' errors; then break; fi; sleep 0.1; done
      kill -INT $archiver
      wait $archiver
      code=$?
      cat errors >&2
      exit $code
      """)
    #expect(run.code == 0, "\(run.error)")
    #expect(run.error.split(separator: "\n").count == 2, "\(run.error)")
    #expect(run.error.contains("coffer: the archive goes on"))
    #expect(try vault.run("archive", "verify", "--from", "disk/arch").code == 0)
  }

  @Test func `a run stores nothing in an empty folder in its archive's place, and goes on later`()
    throws
  {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        mv arch mounted; mkdir arch
        $coffer exec vault.db "UPDATE player SET name = 'Ford'" --key-file key
        for i in {1..300}; do if grep -qs "isn't in arch" errors; then break; fi; sleep 0.1; done
        rmdir arch || exit 98
        mv mounted arch
        for i in {1..300}; do if grep -qs 'goes on' errors; then break; fi; sleep 0.1; done
        kill -TERM $archiver
        wait $archiver
        code=$?
        cat errors >&2
        exit $code
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
    #expect(run.error.split(separator: "\n").count == 2, "\(run.error)")
    #expect(try vault.run("archive", "verify", "--from", "arch", "--at-least", "2").code == 0)
    #expect(try vault.run("archive", "restore", "r.db", "--from", "arch").code == 0)
    let names = try vault.run("query", "r.db", "SELECT DISTINCT name AS name FROM player")
    #expect(names.output == "name\r\nFord\r\n")
  }

  @Test func `a monitor is told what is wrong by exit codes, figures and lines`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      $coffer archive run vault.db --to arch --interval 0.05 --log json --metrics run.prom \\
        --key-file key 2>events &
      archiver=$!
      status() { $coffer archive status vault.db --from arch --json --key-file key "$@" 2>>told; }
      for i in {1..600}; do if status --max-age 1h >status.json; then break; fi; sleep 0.1; done
      status --max-age 1h --metrics status.prom >status.json || exit 98
      for i in {1..600}; do if [ -e run.prom ]; then break; fi; sleep 0.1; done
      status --max-age 0s >/dev/null; case $? in 0|4) ;; *) exit 97;; esac
      kill -TERM $archiver; wait $archiver || exit 96
      status --max-age 1h >/dev/null; [ $? = 5 ] || exit 95
      $coffer archive status --from arch --max-age 1h --key-file key >/dev/null 2>&1; [ $? = 2 ] || exit 94
      $coffer archive run vault.db --to arch --once --log yaml --key-file key 2>/dev/null; [ $? = 2 ] || exit 93
      """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
    func text(_ name: String) throws -> String {
      String(decoding: try vault.contents(of: name), as: UTF8.self)
    }
    let told = try text("told")
    #expect(told.contains("nothing archives it"), "\(told)")
    struct Status: Decodable {
      struct Archiver: Decodable {
        var process: Int
        var waitingBytes: Int
        var gaps: Int
        var error: String?
      }
      var archiver: Archiver
    }
    let status = try JSONDecoder().decode(Status.self, from: Data(text("status.json").utf8))
    #expect(status.archiver.process > 1 && status.archiver.gaps == 0)
    #expect(status.archiver.error == nil)
    for name in ["run.prom", "status.prom"] {
      #expect(try text(name).contains("coffer_archive_up{target=\"arch\"} 1.0"), "\(name)")
    }
    struct Event: Decodable { var event: String }
    let events = try text("events").split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8)).event
    }
    #expect(events == ["start", "end"], "\(events)")
  }

  @Test(arguments: [
    ("coffer-archive@.service", "coffer-archive@vault.service"),
    ("coffer-archives.service", "coffer-archives.service"),
  ])
  func `the units for systemd are right`(file: String, name: String) throws {
    let vault = try Vault()
    let unit = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Scripts/systemd/\(file)").standardized
    let run = try vault.bash(
      """
      command -v systemd-analyze >/dev/null || exit 0
      mkdir -p bin; cp "$coffer" bin/coffer
      sed "s|@PREFIX@|$PWD|" '\(unit.path)' >\(name)
      systemd-analyze verify ./\(name) 2>&1 | grep coffer-archive && exit 98
      exit 0
      """)
    #expect(run.code == 0, "\(run.output) \(run.error)")
  }

  @Test func `a service manager is told when a run is ready, and when it stops`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      command -v python3 >/dev/null || exit 40
      cat >manager.py <<'END'
      import socket, subprocess, sys, os
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      s.bind("notify")
      s.settimeout(120)
      env = dict(os.environ, NOTIFY_SOCKET=os.path.abspath("notify"), WATCHDOG_USEC="200000")
      run = subprocess.Popen(sys.argv[1:], env=env)
      seen = set()
      while not {"READY=1", "WATCHDOG=1"} <= seen: seen.add(s.recv(4096).decode())
      run.terminate()
      while "STOPPING=1" not in seen: seen.add(s.recv(4096).decode())
      sys.exit(run.wait())
      END
      python3 manager.py $coffer archive run vault.db --to arch --key-file key
      """)
    #expect([0, 40].contains(run.code), "\(run.code) \(run.error)")
  }

  @Test func `on a terminal, a run has one line, and Ctrl-C ends it`() throws {
    let vault = try Vault()
    let terminal = try TerminalProcess(
      ["archive", "run", "vault.db", "--to", "arch", "--key-file", "key"], in: vault.folder)
    #expect(terminal.read(until: "Archived: commit 1 of ") != nil, "\(terminal.shown)")
    terminal.type("\u{3}")
    let end = terminal.finish()
    #expect(end.code == 0, "\(end.rest)")
    #expect(!terminal.shown.replacing("\r\n", with: "").contains("\n"))
    #expect(try vault.run("archive", "verify", "--from", "arch").code == 0)
  }

  @Test func `a passphrase is asked for, and again if it is wrong`() throws {
    let vault = try Vault()
    let made = try vault.bash(
      """
      $coffer create p.db --passphrase-file passphrase
      $coffer archive run p.db --to arch --once --passphrase-file passphrase
      """)
    #expect(made.code == 0, "\(made.error)")
    let terminal = try TerminalProcess(["archive", "list", "--from", "arch"], in: vault.folder)
    for answer in ["wrong", "sesame open marker"] {
      #expect(terminal.read(until: "Passphrase of arch> ") != nil, "\(terminal.shown)")
      terminal.type(line: answer)
    }
    #expect(terminal.finish().code == 0)
    let second = try TerminalProcess(["archive", "list", "--from", "arch"], in: vault.folder)
    #expect(second.read(until: "> ") != nil)
    second.type("\u{3}")
    #expect(second.finish().code == 130)
  }
}

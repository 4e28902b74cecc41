import Foundation
import Testing

@testable import CofferToolKit

/// Runs with several databases.
struct ArchiveFleetScenarios {
  /// A vault with databases `t1.db` and so on, with the vault's key, in the folder `t`.
  private func made(_ count: Int) throws -> Vault {
    let vault = try Vault()
    let run = try vault.bash(
      """
      mkdir t arch
      $coffer exec vault.db 'DELETE FROM note' --key-file key >/dev/null
      for i in {1..\(count)}; do cp vault.db t/t$i.db; done
      cat >conf <<END
      [t]
      database = t/*.db
      to = arch/{name}
      key-file = key
      interval = 0.05
      END
      """)
    #expect(run.code == 0, "\(run.error)")
    return vault
  }

  /// Starts a run in the background, to which nohup doesn't keep SIGHUP from coming, and has
  /// functions that wait for what it tells.
  private static let started = """
    env --default-signal=HUP $coffer archive run --config conf --log json --metrics fleet.prom 2>events &
    archiver=$!
    trap 'kill -KILL $archiver 2>/dev/null' EXIT
    until_told() { for i in {1..600}; do if grep -qs "$@" events; then return; fi; sleep 0.1; done; cat events >&2; exit 99; }
    told() { grep -c "$1" events; }
    change() { $coffer exec "$1" "UPDATE player SET name = '$2'" --key-file key >/dev/null || exit 97; }
    name() { rm -f r.db*; $coffer archive restore r.db --from "$1" --key-file key >/dev/null || exit 96
      $coffer query r.db 'SELECT DISTINCT name AS n FROM player' --key-file key | tail -n 1 | tr -d '\\r'; }
    finish() { kill -TERM $archiver; wait $archiver; code=$?; trap - EXIT; }
    until_told '"event":"ready"'

    """

  @Test func `twenty databases are archived by one process, which takes five descriptors for each`()
    throws
  {
    let vault = try made(20)
    let run = try vault.bash(
      Self.started + """
        [ "$(told '"event":"start"')" = 20 ] || { cat events >&2; exit 90; }
        for i in {1..20}; do change t/t$i.db N$i; done
        # Those that SQLite keeps for its locks are among them.
        for i in {1..600}; do
          open=$(ls -l /proc/$archiver/fd | grep -c '/t/t')
          if [ $open -le 100 ]; then break; fi
          sleep 0.1
        done
        echo $open
        finish
        for i in {1..20}; do echo "N$i $(name arch/t$i)"; done
        exit $code
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
    let descriptors = Int(run.lines.first ?? "") ?? .max
    #expect(descriptors <= 100, "\(run.output)")
    for line in run.lines.dropFirst() {
      let names = line.split(separator: " ")
      #expect(names.count == 2 && names[0] == names[1], "\(line)")
    }
    #expect(run.lines.count == 21)
  }

  @Test func `one that fails stops no other, and is told by lines, figures and the exit code`()
    throws
  {
    let vault = try made(3)
    let run = try vault.bash(
      """
      $coffer keygen otherkey; $coffer create t/t4.db --key-file otherkey
      echo text >t/t5.db
      """ + "\n" + Self.started + """
        until_told 't4.db.*wrong\\|wrong.*t4.db'
        until_told 't5.db'
        change t/t2.db Ford
        finish
        [ "$(name arch/t2)" = Ford ] || exit 95
        cat fleet.prom
        exit $code
        """)
    #expect([65, 77].contains(run.code), "\(run.code) \(run.error)")
    let up = run.lines.filter { $0.hasPrefix("coffer_archive_failing{database=\"t/t4.db\"") }
    #expect(up.count == 1 && up[0].hasSuffix(" 1.0"), "\(run.output)")
    let samples = run.lines.filter { $0.hasPrefix("coffer_archive_up{") }
    let types = run.lines.filter { $0 == "# TYPE coffer_archive_up gauge" }
    #expect(samples.count == 5 && types.count == 1, "\(run.output)")
    let events = String(decoding: try vault.contents(of: "events"), as: UTF8.self)
    #expect(!events.contains(Vault.marker))
  }

  @Test func `new databases are found, and gone ones told`() throws {
    let vault = try made(2)
    let run = try vault.bash(
      Self.started + """
        cp vault.db new; mv new t/t3.db
        until_told '"event":"start","database":"t/t3.db"'
        mv t/t1.db gone.db
        until_told '"event":"gone","database":"t/t1.db"'
        until_told '"event":"end","database":"t/t1.db"'
        change t/t2.db Ford
        finish
        [ "$(name arch/t2)" = Ford ] || exit 95
        [ "$(name arch/t1)" != "" ] || exit 94
        exit $code
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `SIGHUP reads the file again, and a wrong one changes nothing`() throws {
    let vault = try made(3)
    let run = try vault.bash(
      Self.started + """
        cp conf good
        echo 'intervall = 3' >>conf
        kill -HUP $archiver
        until_told 'conf:6: there is no setting intervall'
        change t/t1.db Ford
        cat good - >conf <<END
        [other]
        database = vault.db
        to = arch/t1
        key-file = key
        END
        kill -HUP $archiver
        until_told 'have one target'
        cat good - >conf <<END
        [other]
        database = vault.db
        to = arch/other
        key-file = key
        END
        kill -HUP $archiver
        until_told '"event":"start","database":"vault.db"'
        # What has no other settings goes on.
        [ "$(told '"event":"start"')" = 4 ] || exit 93
        sed -i 's/interval = 0.05/interval = 0.1/; /other/,$d' conf
        kill -HUP $archiver
        until_told '"event":"gone","database":"vault.db"'
        until_told '"event":"changed","database":"t/t1.db"'
        for i in {1..600}; do if [ "$(told '"event":"start"')" = 7 ]; then break; fi; sleep 0.1; done
        change t/t1.db Zaphod
        finish
        [ "$(name arch/t1)" = Zaphod ] || exit 95
        exit $code
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `all are archived once, and another target isn't taken`() throws {
    let vault = try made(3)
    let run = try vault.bash(
      """
      $coffer archive run --config conf --once 2>lines || exit 98
      for i in 1 2 3; do $coffer archive verify --from arch/t$i --key-file key >/dev/null || exit 97; done
      cp conf both; printf '[x]\\ndatabase = vault.db\\nto = arch/t2/\\nkey-file = key\\n' >>both
      $coffer archive run --config both --once 2>error; [ $? = 65 ] || exit 96
      grep -q 'one target' error || exit 95
      # Another copy of a database isn't the writer of its archive, once a run was killed.
      $coffer archive run --config conf 2>events & archiver=$!
      for i in {1..600}; do if grep -qs ready events; then break; fi; sleep 0.1; done
      kill -KILL $archiver; wait $archiver
      mkdir u; cp t/* u; rm u/*-*; sed 's/t\\/\\*/u\\/*/' conf >copies
      $coffer archive run --config copies --once 2>error; [ $? = 75 ] || exit 94
      $coffer archive run --config conf --once 2>>lines || exit 93
      """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
    let lines = String(decoding: try vault.contents(of: "lines"), as: UTF8.self)
    #expect(lines.contains(" end t/t1.db: all commits are archived"), "\(lines)")
  }

  @Test(arguments: [
    ("--config none", 66), ("--config conf vault.db", 2), ("--config conf --to arch", 2),
    ("--config conf --key-file key", 2), ("--config conf --interval 3", 2),
    ("--config vault.db", 65), ("vault.db --key-file key", 2), ("--to arch --key-file key", 2),
    ("--config conf --log yaml", 2), ("vault.db --to arch --layers 1h --key-file key", 2),
    ("vault.db --to arch --layers 1h,5min,1d --key-file key", 2),
    ("vault.db --to arch --layers 0s,5min,1d --key-file key", 2),
    ("vault.db --to arch --layers 1min,5min,1d --once --key-file key", 0),
  ])
  func `a run has a database or a file of them, and says what is wrong`(
    options: String, code: Int32
  ) throws {
    let vault = try made(1)
    let run = try vault.bash("$coffer archive run \(options) </dev/null")
    #expect(run.code == code, "\(run.error)")
    if code != 0 { #expect(run.hasOneErrorLine && run.output == "", "\(run.error)") }
  }

  @Test func `an end waits for none that hangs, and archives the others`() throws {
    let vault = try made(2)
    let run = try vault.bash(
      """
      cat >>conf <<END
      [slow]
      database = vault.db
      to = elsewhere
      passphrase-command = while [ ! -e go ]; do sleep 0.1; done
      END
      $coffer archive run --config conf --within 3 2>events & archiver=$!
      # Nothing that it has started outlives the test.
      trap 'touch go; kill -KILL $archiver 2>/dev/null' EXIT
      for i in {1..600}; do if [ "$(grep -c ' start t/' events)" = 2 ]; then break; fi; sleep 0.1; done
      kill -TERM $archiver; wait $archiver; code=$?
      for i in 1 2; do
        $coffer archive status --from arch/t$i --json --key-file key | grep -q '"hasWriter":false' || exit 90
      done
      exit $code
      """)
    #expect(run.code == 74, "\(run.code) \(run.error)")
  }
}

import CofferTestSupport
import Foundation
import Testing

@testable import CofferToolKit

/// What "In an emergency" in Docs/Archive.md says, command by command.
struct ArchiveEmergencyScenarios {
  /// A run of the vault in the background, whose archive has two commits.
  private static let started = """
    change() { $coffer exec "$1" "UPDATE player SET name = '$2'" --key-file key >/dev/null || exit 97; }
    name() { $coffer query "$1" 'SELECT DISTINCT name AS n FROM player' --key-file key | tail -n 1 | tr -d '\\r'; }
    status() { $coffer archive status --from "$1" --json --key-file key 2>/dev/null; }
    writer() { status arch | sed 's/.*"writer":\\([0-9]*\\).*/\\1/'; }
    until_has() { for i in {1..600}; do if status "$2" | grep -q "\\"commit\\":$1"; then return; fi; sleep 0.1; done; exit 99; }
    $coffer archive run vault.db --to arch --interval 0.05 --key-file key 2>errors & archiver=$!
    trap 'kill -KILL $archiver 2>/dev/null' EXIT
    until_has 1 arch
    change vault.db Ford
    until_has 2 arch

    """

  @Test func `the machine is lost, and no copy follows the archive`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        kill -KILL $archiver; wait $archiver 2>/dev/null
        mv vault.db old.db; for s in wal shm archive; do mv vault.db-$s old.db-$s 2>/dev/null; done
        $coffer archive restore vault.db --from arch --key-file key >/dev/null || exit 96
        [ "$(name vault.db)" = Ford ] || exit 95
        # Without the writer's number, nobody takes the archive over.
        $coffer archive run vault.db --to arch --once --key-file key 2>/dev/null; [ $? = 75 ] || exit 94
        $coffer archive run vault.db --to arch --once --take-over "$(writer)" --key-file key || exit 93
        change vault.db Zaphod
        $coffer archive run vault.db --to arch --once --key-file key || exit 92
        # The old machine comes back.
        change old.db Marvin
        $coffer archive run old.db --to arch --once --key-file key 2>/dev/null
        $coffer diff old.db vault.db --key-file key --new-key-file key >/dev/null; [ $? = 3 ] || exit 90
        $coffer archive restore r.db --from arch --at 2 --key-file key >/dev/null || exit 89
        [ "$(name r.db)" = Ford ] || exit 88
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `the key slots are lost`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      """
      $coffer create s.db --slots --passphrase-file passphrase || exit 99
      $coffer archive run s.db --to arch --once --passphrase-file passphrase || exit 98
      rm s.db-keys
      $coffer tables s.db --passphrase-file passphrase 2>/dev/null; [ $? = 77 ] || exit 97
      $coffer archive restore restored.db --from arch --passphrase-file passphrase >/dev/null || exit 96
      cp restored.db-keys s.db-keys
      $coffer tables s.db --passphrase-file passphrase || exit 95
      """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `the target is lost, or was emptied`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        rm -rf arch/*
        change vault.db Zaphod
        for i in {1..600}; do if grep -qs arch errors; then break; fi; sleep 0.1; done
        # Nothing is stored where the archive was.
        [ -z "$(find arch -type f)" ] || exit 96
        kill -TERM $archiver; wait $archiver; [ $? = 74 ] || exit 95
        $coffer archive run vault.db --to elsewhere --once --key-file key || exit 94
        $coffer archive restore r.db --from elsewhere --key-file key >/dev/null || exit 93
        [ "$(name r.db)" = Zaphod ] || exit 92
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `there are two histories`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        kill -TERM $archiver; wait $archiver || exit 96
        cp vault.db second.db
        [ ! -e vault.db-wal ] || cp vault.db-wal second.db-wal
        change vault.db Zaphod; change second.db Marvin
        $coffer archive run vault.db --to arch --once --key-file key || exit 95
        $coffer diff vault.db second.db --key-file key --new-key-file key >/dev/null; [ $? = 3 ] || exit 94
        $coffer archive run second.db --to own --once --key-file key || exit 93
        for target in arch own; do
          $coffer archive restore $target.db --from $target --key-file key >/dev/null || exit 92
        done
        [ "$(name arch.db) $(name own.db)" = "Zaphod Marvin" ] || exit 91
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  /// Whether a program can be given another clock.
  private static let hasFaketime =
    Command.run("/bin/sh", ["-c", "command -v faketime"])?.status == 0

  @Test(.enabled(if: hasFaketime, "Debian's faketime is missing"))
  func `a clock was ahead`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        kill -TERM $archiver; wait $archiver || exit 96
        change vault.db Zaphod
        faketime -f +90d $coffer archive run vault.db --to arch --once --key-file key || exit 95
        status arch | grep -q '"ageSeconds":null' || exit 94
        status arch | grep -q '"aheadSeconds":7[0-9]*' || exit 93
        $coffer archive status --from arch --key-file key | grep -q future || exit 92
        # With a right clock, nothing is pruned that was kept until then, and dates don't go back.
        change vault.db Trillian
        $coffer archive run vault.db --to arch --once --key-file key || exit 91
        status arch | grep -q '"aheadSeconds":7[0-9]*' || exit 90
        for at in 2:Ford 3:Zaphod 4:Trillian; do
          $coffer archive restore r.db --from arch --at ${at%:*} --key-file key >/dev/null || exit 89
          [ "$(name r.db)" = "${at#*:}" ] || exit 88
          rm r.db*
        done
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  /// Whether this process may mount in a namespace of its own.
  private static let canMount =
    Command.run("/usr/bin/unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"])?.status == 0

  @Test(.enabled(if: canMount, "nothing can be mounted here"))
  func `the destination is full`() throws {
    let vault = try Vault()
    try vault.write(
      """
      mkdir small; mount -t tmpfs -o size=512k none small || exit 99
      run() { $coffer archive run vault.db --to small/arch --once --key-file key "$@"; }
      run || exit 98
      $coffer exec vault.db "UPDATE player SET name = 'Ford'" --key-file key >/dev/null || exit 97
      # Full to the last byte.
      cat /dev/zero >small/filler 2>/dev/null
      run 2>errors; [ $? != 0 ] || exit 96
      grep -qi 'space' errors || exit 95
      # What was stored still is there, and what wasn't is in the log.
      $coffer archive restore r.db --from small/arch --key-file key >/dev/null || exit 94
      $coffer archive verify --from small/arch --key-file key >/dev/null || exit 93
      # Room for a few manifests is enough to prune, and then for the rest.
      truncate -s -64k small/filler
      keep='--keep-commits 1s --keep-5min 1s --keep-hours 1s --keep-days 1s'
      $coffer archive prune --from small/arch $keep --key-file key >/dev/null || exit 92
      run $keep || exit 91
      $coffer archive restore new.db --from small/arch --key-file key >/dev/null || exit 90
      $coffer query new.db 'SELECT name FROM player' --key-file key | grep -q Ford || exit 89
      """, to: "script")
    let run = try vault.bash("unshare -rm bash script")
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `data was deleted by mistake`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        $coffer exec vault.db 'DELETE FROM player' --key-file key >/dev/null || exit 96
        until_has 3 arch
        $coffer archive list --from arch --key-file key >/dev/null || exit 95
        $coffer archive restore before.db --from arch --at 2 --key-file key >/dev/null || exit 94
        [ "$(name before.db)" = Ford ] || exit 93
        kill -TERM $archiver; wait $archiver || exit 92
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `objects are damaged or missing`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        change vault.db Zaphod
        until_has 3 arch
        kill -TERM $archiver; wait $archiver || exit 96
        last=$(ls arch/log | tail -n 1)
        # The one with the last commit: a segment without commits may come behind it.
        printf x | dd of=arch/log/$last bs=1 seek=150 conv=notrunc 2>/dev/null
        $coffer archive verify --from arch --key-file key >found; [ $? = 3 ] || exit 95
        grep -q "$last" found || exit 94
        $coffer archive restore r.db --from arch --key-file key >/dev/null 2>&1 && exit 93
        $coffer archive list --from arch --key-file key >/dev/null 2>&1 || exit 92
        $coffer archive restore two.db --from arch --at 2 --key-file key >/dev/null || exit 91
        [ "$(name two.db)" = Ford ] || exit 90
        $coffer archive run vault.db --to arch --once --key-file key 2>/dev/null || exit 89
        $coffer archive restore r.db --from arch --key-file key >/dev/null || exit 88
        [ "$(name r.db)" = Zaphod ] || exit 87
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `a run prunes what another process asks it to, with the key alone`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        $coffer keygen otherkey
        for n in a b c d; do change vault.db $n; done
        until_has 6 arch
        sleep 1.1
        prune() { $coffer archive prune "$@" --keep-commits 1s --keep-5min 1s --keep-hours 1s --keep-days 1s; }
        prune --from arch --key-file key 2>told; [ $? = 75 ] || exit 96
        grep -q 'coffer archive prune FILE' told || exit 95
        prune vault.db --from arch --key-file otherkey 2>/dev/null; [ $? = 77 ] || exit 94
        prune vault.db --from arch --key-file key >count || exit 93
        $coffer archive verify --from arch --key-file key >/dev/null || exit 92
        # A request of somebody without the key does nothing.
        before=$(find arch -type f | wc -l)
        printf 'prune  1%0.s' {1..13} | dd of=vault.db-archive bs=1 seek=128 conv=notrunc 2>/dev/null
        change vault.db e; until_has 7 arch
        [ "$(find arch -type f | wc -l)" -ge "$before" ] || exit 91
        status arch >/dev/null
        $coffer archive status vault.db --from arch --json --key-file key | grep -q '"waitingCommits":0' || exit 90
        kill -TERM $archiver; wait $archiver || exit 89
        # Without a run, the command prunes itself.
        prune vault.db --from arch --key-file key >/dev/null || exit 88
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }

  @Test func `takeovers and prunes are told`() throws {
    let vault = try Vault()
    let run = try vault.bash(
      Self.started + """
        kill -KILL $archiver; wait $archiver 2>/dev/null
        cp vault.db copy.db; cp vault.db-wal copy.db-wal
        $coffer archive run copy.db --to arch --take-over "$(writer)" --log json --interval 0.05 --key-file key \\
          2>events & archiver=$!
        for i in {1..600}; do if grep -qs '"event":"takeover"' events; then break; fi; sleep 0.1; done
        change copy.db Zaphod
        sleep 1.1
        $coffer archive prune copy.db --from arch --keep-commits 1s --keep-5min 1s --keep-hours 1s \\
          --keep-days 1s --key-file key >count || exit 96
        if [ "$(cat count)" != 0 ]; then
          for i in {1..600}; do if grep -qs '"event":"prune"' events; then break; fi; sleep 0.1; done
          grep -q '"event":"prune"' events || exit 95
        fi
        kill -TERM $archiver; wait $archiver || exit 94
        grep -q '"event":"takeover"' events || exit 93
        """)
    #expect(run.code == 0, "\(run.code) \(run.error)")
  }
}

import CofferTestSupport
import Foundation
import Testing

@testable import Inventory

struct PackageListTests {
  private func list(_ text: String) -> PackageList {
    PackageList(path: "list", data: Data(text.utf8))
  }

  @Test func `every field of a package is read`() throws {
    let package = try #require(
      list(
        """
        Package: hello
        Status: install ok installed
        Priority: optional
        Section: devel
        Installed-Size: 277
        Maintainer: Santiago Vila <sanvila@debian.org>
        Architecture: amd64
        Version: 2.10-3
        Depends: libc6 (>= 2.34), default-mta | mail-transport-agent
        Pre-Depends: dpkg
        Provides: greeter (= 1), salute
        Description: example package
         The GNU hello program
         greets.
         .
         It is small.
        """
      ).packages.first)
    #expect(
      package
        == InstalledPackage(
          name: "hello", version: "2.10-3", architecture: "amd64", section: "devel",
          priority: "optional", maintainer: "Santiago Vila <sanvila@debian.org>",
          installedSize: 277, summary: "example package",
          details: "The GNU hello program greets.\nIt is small.",
          dependencies: [
            [PackageRelation(name: "dpkg")],
            [PackageRelation(name: "libc6", comparison: ">=", version: "2.34")],
            [
              PackageRelation(name: "default-mta"),
              PackageRelation(name: "mail-transport-agent"),
            ],
          ],
          provides: [
            PackageRelation(name: "greeter", comparison: "=", version: "1"),
            PackageRelation(name: "salute"),
          ]))
  }

  @Test func `a package needs no more than a name and a status`() throws {
    let result = list("Package: bare\nStatus: install ok installed\n")
    #expect(result.packages == [InstalledPackage(name: "bare")])
    #expect(result.skippedCount == 0)
  }

  @Test(arguments: [
    "Package: x\nStatus: deinstall ok config-files\n",
    "Package: x\nStatus: install ok half-installed\n",
    "Package: x\nStatus: install ok not-installed\n",
    "Package: x\nStatus: installed\n",
    "Package: x\n",
    "Status: install ok installed\n",
    "Package:\nStatus: install ok installed\n",
  ])
  func `packages that aren't installed or have no name are skipped`(text: String) throws {
    let result = list(text + "\nPackage: good\nStatus: install  ok installed\n")
    #expect(result.packages.map(\.name) == ["good"])
    #expect(result.skippedCount == 1)
  }

  @Test(arguments: [
    ("12", 12), ("0", 0), ("-1", nil), ("", nil), ("12 kB", nil), ("99999999999999999999", nil),
    ("9223372036854775807", nil),
  ])
  func `a size that isn't a number of KiB is ignored`(text: String, size: Int?) throws {
    let result = list(
      "Package: x\nStatus: install ok installed\nInstalled-Size: \(text)\n")
    #expect(result.packages.map(\.installedSize) == [size])
  }

  @Test func `the fixture has sixty packages`() throws {
    let whole = try PackageList(contentsOf: Fixtures.path("dpkg-status"))
    #expect(whole.packages.count == 60)
    #expect(whole.skippedCount == 0)
    #expect(whole.packages.allSatisfy { $0.installedSize != nil && $0.summary != nil })

    // As Windows would write it.
    let lines = String(decoding: whole.data, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(list(lines.joined(separator: "\r\n")).packages == whole.packages)
  }

  @Test func `the fixture's git needs what its control file says`() throws {
    let git = try #require(
      try PackageList(contentsOf: Fixtures.path("dpkg-status")).packages.first { $0.name == "git" })
    let names = git.dependencies.map { $0.map(\.name) }
    #expect(names.contains(["libc6"]))
    #expect(names.contains { $0.count == 1 && $0[0] == "git-man" })
    #expect(git.provides.map(\.name).contains("git-core"))
  }
}

import Testing

@testable import CofferToolKit

struct DpkgStatusTests {
  private func packages(
    _ text: String
  ) throws -> (packages: [InstalledPackage], skipped: Int) {
    try packages(.bytes(Array(text.utf8)))
  }

  private func packages(
    _ source: ByteSource
  ) throws -> (packages: [InstalledPackage], skipped: Int) {
    var status = DpkgStatus(source)
    var packages: [InstalledPackage] = []
    while let package = try status.next() { packages.append(package) }
    return (packages, status.skippedCount)
  }

  @Test func `every field of a package is read`() throws {
    let package = try #require(
      try packages(
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
    let result = try packages("Package: bare\nStatus: install ok installed\n")
    #expect(result.packages == [InstalledPackage(name: "bare")])
    #expect(result.skipped == 0)
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
    let result = try packages(text + "\nPackage: good\nStatus: install  ok installed\n")
    #expect(result.packages.map(\.name) == ["good"])
    #expect(result.skipped == 1)
  }

  @Test(arguments: [
    ("12", 12), ("0", 0), ("-1", nil), ("", nil), ("12 kB", nil), ("99999999999999999999", nil),
    ("9223372036854775807", nil),
  ])
  func `a size that isn't a number of KiB is ignored`(text: String, size: Int?) throws {
    let result = try packages(
      "Package: x\nStatus: install ok installed\nInstalled-Size: \(text)\n")
    #expect(result.packages.map(\.installedSize) == [size])
  }

  @Test func `the fixture has sixty packages, in chunks of any size`() throws {
    let whole = try packages(try .file(dpkgStatusFixture))
    #expect(whole.packages.count == 60)
    #expect(whole.skipped == 0)
    #expect(whole.packages.allSatisfy { $0.installedSize != nil && $0.summary != nil })

    var bytes: [UInt8] = []
    let source = try ByteSource.file(dpkgStatusFixture)
    while try source.readChunk(&bytes) {}
    #expect(bytes.count == source.size)
    #expect(try packages(.bytes(bytes, chunk: 97)).packages == whole.packages)

    // As Windows would write it.
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(try packages(lines.joined(separator: "\r\n")).packages == whole.packages)
  }

  @Test func `the fixture's git needs what its control file says`() throws {
    let git = try #require(
      try packages(try .file(dpkgStatusFixture)).packages.first { $0.name == "git" })
    let names = git.dependencies.map { $0.map(\.name) }
    #expect(names.contains(["libc6"]))
    #expect(names.contains { $0.count == 1 && $0[0] == "git-man" })
    #expect(git.provides.map(\.name).contains("git-core"))
  }
}

/// A package that is installed.
struct InstalledPackage: Equatable {
  var name: String
  var version: String?
  var architecture: String?
  var section: String?
  var priority: String?
  var maintainer: String?
  /// In KiB.
  var installedSize: Int?
  /// The first line of the description.
  var summary: String?
  /// The rest of the description, its lines joined and its paragraphs not.
  var details: String?
  /// What it needs to be installed, each a group of alternatives: `Pre-Depends` and then `Depends`.
  var dependencies: [[PackageRelation]] = []
  /// The virtual packages that it stands for.
  var provides: [PackageRelation] = []
}

/// Reads dpkg's list of packages, `/var/lib/dpkg/status`, one after the other.
struct DpkgStatus {
  private var reader: ControlFileReader

  /// How many paragraphs were passed over: packages that aren't (fully) installed, and those that
  /// lack a name.
  private(set) var skippedCount = 0

  /// How many bytes the packages up to here have.
  var bytesConsumed: Int { reader.bytesConsumed }

  init(_ source: ByteSource) {
    reader = ControlFileReader(source)
  }

  /// The next package whose status is `install ok installed`; nil at the end.
  mutating func next() throws -> InstalledPackage? {
    while let paragraph = try reader.next() {
      if let package = InstalledPackage(paragraph) { return package }
      skippedCount += 1
    }
    return nil
  }
}

extension InstalledPackage {
  /// Reads a paragraph; nil unless it is of an installed package.
  init?(_ paragraph: ControlParagraph) {
    guard let name = paragraph.text("Package"), let status = paragraph.text("Status"),
      status.split(separator: " ") == ["install", "ok", "installed"]
    else { return nil }
    self.name = name
    version = paragraph.text("Version")
    architecture = paragraph.text("Architecture")
    section = paragraph.text("Section")
    priority = paragraph.text("Priority")
    maintainer = paragraph.text("Maintainer")
    installedSize = paragraph.text("Installed-Size").flatMap { Int($0) }.flatMap {
      (0...Self.largestSize).contains($0) ? $0 : nil
    }
    if let lines = paragraph.lines("Description") {
      summary = lines[0].isEmpty ? nil : lines[0]
      details = Self.details(lines.dropFirst())
    }
    dependencies = ["Pre-Depends", "Depends"].flatMap { (field: StaticString) in
      paragraph.text(field).map(PackageRelation.groups) ?? []
    }
    provides = paragraph.text("Provides").map { PackageRelation.groups($0).flatMap(\.self) } ?? []
  }

  /// 1 PiB, in KiB: sums of what is larger might not fit.
  private static let largestSize = 1 << 40

  /// A dot stands for an empty line, which parts paragraphs.
  private static func details(_ lines: ArraySlice<String>) -> String? {
    let text = lines.split(separator: ".").map { $0.joined(separator: " ") }
      .joined(separator: "\n")
    return text.isEmpty ? nil : text
  }
}

/// An installed package.
struct InstalledPackage: Equatable {
  var name: String
  var version: String?
  var architecture: String?
  var section: String?
  var priority: String?
  var maintainer: String?
  /// The installed size in KiB.
  var installedSize: Int?
  /// The first line of the description.
  var summary: String?
  /// The rest of the description. The lines of each paragraph are joined.
  var details: String?
  /// The dependencies, each a group of alternatives: `Pre-Depends`, then `Depends`.
  var dependencies: [[PackageRelation]] = []
  /// The virtual packages that it provides.
  var provides: [PackageRelation] = []
}

/// Reads the packages of dpkg's list, `/var/lib/dpkg/status`, one after the other.
struct DpkgStatus {
  private var reader: ControlFileReader

  /// The number of skipped paragraphs: packages that aren't fully installed, and paragraphs without
  /// a name.
  private(set) var skippedCount = 0

  /// The number of bytes of the packages so far.
  var bytesConsumed: Int { reader.bytesConsumed }

  init(_ source: ByteSource) {
    reader = ControlFileReader(source)
  }

  /// Returns the next package whose status is `install ok installed`; nil at the end.
  mutating func next() throws -> InstalledPackage? {
    while let paragraph = try reader.next() {
      if let package = InstalledPackage(paragraph) { return package }
      skippedCount += 1
    }
    return nil
  }
}

extension InstalledPackage {
  /// Reads a paragraph; returns nil unless it describes an installed package.
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
    dependencies = ["Pre-Depends", "Depends"].flatMap { field in
      paragraph.text(field).map(PackageRelation.groups) ?? []
    }
    provides = paragraph.text("Provides").map { PackageRelation.groups($0).flatMap(\.self) } ?? []
  }

  /// The maximum accepted size, 1 PiB, in KiB. Sums of larger sizes could overflow.
  private static let largestSize = 1 << 40

  /// A line with a single dot stands for an empty line, which separates paragraphs.
  private static func details(_ lines: ArraySlice<String>) -> String? {
    let text = lines.split(separator: ".").map { $0.joined(separator: " ") }
      .joined(separator: "\n")
    return text.isEmpty ? nil : text
  }
}

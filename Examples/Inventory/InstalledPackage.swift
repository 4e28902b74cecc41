import Foundation

/// The installed packages in dpkg's list.
struct PackageList {
  let path: String
  /// The bytes of the list.
  let data: Data
  let packages: [InstalledPackage]
  /// The number of other entries: packages that aren't fully installed, or have no name.
  let skippedCount: Int

  /// No list is longer: more would fill the memory.
  static let longest = 64 << 20

  init(contentsOf path: String) throws {
    self.init(path: path, data: try Self.read(path))
    guard !packages.isEmpty else {
      throw Failure("\(path) lists no installed package. Is it a dpkg status file?")
    }
  }

  /// Bytes that aren't UTF-8 become U+FFFD.
  init(path: String, data: Data) {
    let paragraphs = Array(ControlFile(String(decoding: data, as: UTF8.self)))
    self.path = path
    self.data = data
    packages = paragraphs.compactMap(InstalledPackage.init)
    skippedCount = paragraphs.count - packages.count
  }

  private static func read(_ path: String) throws -> Data {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: longest + 1) ?? Data()
    } catch {
      throw Failure(path, error, advice: "Name dpkg's list of packages: Inventory --status FILE")
    }
    guard data.count <= longest else {
      throw Failure("\(path) has more than \(longest >> 20) MiB: that is no list of packages.")
    }
    return data
  }
}

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

extension InstalledPackage {
  /// Reads a paragraph; returns nil unless it describes an installed package.
  init?(_ paragraph: ControlParagraph) {
    guard let name = paragraph.text("Package"), let status = paragraph.text("Status"),
      status.split(separator: " ") == ["install", "ok", "installed"]
    else { return nil }
    let description = paragraph.lines("Description") ?? []
    self.init(
      name: name,
      version: paragraph.text("Version"),
      architecture: paragraph.text("Architecture"),
      section: paragraph.text("Section"),
      priority: paragraph.text("Priority"),
      maintainer: paragraph.text("Maintainer"),
      installedSize: paragraph.text("Installed-Size").flatMap(Self.size),
      summary: description.first.flatMap { $0.isEmpty ? nil : $0 },
      details: Self.details(description.dropFirst()),
      dependencies: ["Pre-Depends", "Depends"].flatMap { field in
        PackageRelation.groups(paragraph.text(field) ?? "")
      },
      provides: PackageRelation.groups(paragraph.text("Provides") ?? "").flatMap(\.self))
  }

  /// Sums of sizes beyond 1 PiB could overflow.
  private static func size(_ text: String) -> Int? {
    Int(text).flatMap { (0...1 << 40).contains($0) ? $0 : nil }
  }

  /// A line with a single dot stands for an empty line, which separates paragraphs.
  private static func details(_ lines: ArraySlice<String>) -> String? {
    let text = lines.split(separator: ".").map { $0.joined(separator: " ") }
      .joined(separator: "\n")
    return text.isEmpty ? nil : text
  }
}

import Foundation

/// A Markdown document with blocks of figures between markers.
///
/// A block begins with a line `<!-- figures: NAME, PATH -->` and ends with `<!-- end of figures
/// -->`. The path is that of the run's JSON file, from the root of the project.
package struct MarkedDocument {
  /// A block between markers.
  package struct Block: Equatable {
    package var name: String
    package var path: String
    /// The lines between the markers.
    package var lines: [String]
  }

  package enum Failure: Error, CustomStringConvertible {
    case unknownBlock(String, line: Int)
    case unclosedBlock(String, line: Int)

    package var description: String {
      switch self {
      case .unknownBlock(let name, let line): "line \(line): there is no block \"\(name)\""
      case .unclosedBlock(let name, let line): "line \(line): the block \"\(name)\" has no end"
      }
    }
  }

  private enum Part {
    case text(String)
    case block(Block)
  }

  private static let beginning = "<!-- figures: "
  private static let end = "<!-- end of figures -->"
  private static let closing = " -->"

  private var parts: [Part] = []

  /// - Throws: ``Failure`` if a marker names an unknown block, or a block has no end.
  package init(_ text: String) throws {
    var open: (block: Block, line: Int)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let (block, start) = open {
        if line == Self.end {
          parts.append(.block(block))
          open = nil
        } else if line.hasPrefix(Self.beginning) {
          throw Failure.unclosedBlock(block.name, line: start)
        } else {
          open?.block.lines.append(String(line))
        }
      } else if line.hasPrefix(Self.beginning), line.hasSuffix(Self.closing) {
        let words = line.dropFirst(Self.beginning.count).dropLast(Self.closing.count)
        let name = String(words.prefix { $0 != "," })
        guard Tables.names.contains(name) else {
          throw Failure.unknownBlock(name, line: index + 1)
        }
        let path = words.dropFirst(name.count + 1).trimmingPrefix { $0 == " " }
        open = (Block(name: name, path: String(path), lines: []), index + 1)
      } else {
        parts.append(.text(String(line)))
      }
    }
    if let (block, line) = open { throw Failure.unclosedBlock(block.name, line: line) }
  }

  package var blocks: [Block] {
    parts.compactMap { if case .block(let block) = $0 { block } else { nil } }
  }

  package var text: String {
    parts.map { part in
      switch part {
      case .text(let line): line
      case .block(let block):
        ([Self.beginning + "\(block.name), \(block.path)" + Self.closing] + block.lines
          + [Self.end]).joined(separator: "\n")
      }
    }.joined(separator: "\n")
  }

  /// Returns whether a run has the figures of a block: growth, and benchmarks with all pages
  /// cached, are recorded separately.
  private static func isFilled(_ block: String, by run: Run) -> Bool {
    switch block {
    case "growth": !run.growth.isEmpty
    case "cached", "recorded-cached": run.isCached == true && !run.benchmarks.isEmpty
    default: run.isCached != true && !run.benchmarks.isEmpty
    }
  }

  /// Fills the blocks of which a run has the figures.
  ///
  /// - Parameters:
  ///   - path: The path of the run's JSON file, from the root of the project.
  ///   - document: The path of this document, from the same root.
  package mutating func fill(from run: Run, at path: String, in document: String) {
    let source = Self.relativePath(of: path, from: document)
    let tables = Tables(run, source: source)
    parts = parts.map { part in
      guard case .block(var block) = part else { return part }
      guard Self.isFilled(block.name, by: run) else { return part }
      block.path = path
      // The blank lines keep Markdown from taking the markers for a part of the table.
      block.lines = [""] + (tables.lines(of: block.name) ?? []) + [""]
      return .block(block)
    }
  }

  /// Returns a path as a link in a document has to name it.
  static func relativePath(of path: String, from document: String) -> String {
    var target = path.split(separator: "/")[...]
    var folders = document.split(separator: "/").dropLast()
    while let first = folders.first, first == target.first, target.count > 1 {
      folders = folders.dropFirst()
      target = target.dropFirst()
    }
    return (folders.map { _ in ".." } + target).joined(separator: "/")
  }
}

// Prints which files of the targets in this folder's Sources reach each other; see Scripts/knots.
//
//   knots INDEX-STORE [--files TARGET | --edges TARGET [FROM TO]]

import Foundation
import IndexStore

/// A source file with what the index has about it.
struct SourceFile {
  let path: String
  let target: String
  /// The folder in the target.
  let room: String
  let lines: Int
  /// The IDs of symbols that the file defines, and those that it names with their names.
  var defined: Set<String> = []
  var named: [String: String] = [:]

  /// Nil if the file isn't one of Sources, or not there any more.
  init?(path: String, below sources: String) {
    guard path.hasPrefix(sources), let text = try? String(contentsOfFile: path, encoding: .utf8)
    else { return nil }
    self.path = String(path.dropFirst(sources.count))
    let folders = self.path.split(separator: "/").dropLast()
    target = String(folders[0])
    room = folders.count > 1 ? folders.dropFirst().joined(separator: "/") : "."
    lines = Self.codeLines(of: text)
  }

  /// The number of lines without blank ones and comments.
  static func codeLines(of text: String) -> Int {
    var isInString = false
    return text.split(separator: "\n").count { line in
      let code = line.drop { $0 == " " }
      if code.isEmpty || !isInString && code.hasPrefix("//") { return false }
      let pieces = code.split(separator: "\"\"\"", omittingEmptySubsequences: false)
      if pieces.count.isMultiple(of: 2) { isInString.toggle() }
      return true
    }
  }
}

func text(_ text: indexstore_string_ref_t) -> String {
  String(decoding: UnsafeRawBufferPointer(start: text.data, count: text.length), as: UTF8.self)
}

/// Reads an index; its callbacks get the reader as their context.
final class IndexReader {
  private let store: indexstore_t
  private var units: [String] = []
  private var records: [String] = []
  private var file: SourceFile?

  init(_ store: indexstore_t) { self.store = store }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func at(_ context: UnsafeMutableRawPointer?) -> IndexReader {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  /// The files below a folder.
  func files(below folder: String) -> [SourceFile] {
    _ = indexstore_store_units_apply_f(store, 0, context) { context, name in
      IndexReader.at(context).units.append(text(name))
      return true
    }
    var files: [String: SourceFile] = [:]
    for unit in units {
      guard let reader = indexstore_unit_reader_create(store, unit, nil) else { continue }
      defer { indexstore_unit_reader_dispose(reader) }
      let path = text(indexstore_unit_reader_get_main_file(reader))
      file = files[path] ?? SourceFile(path: path, below: folder)
      guard file != nil else { continue }
      records = []
      _ = indexstore_unit_reader_dependencies_apply_f(reader, context) { context, dependency in
        if indexstore_unit_dependency_get_kind(dependency) == INDEXSTORE_UNIT_DEPENDENCY_RECORD {
          let name = text(indexstore_unit_dependency_get_name(dependency))
          IndexReader.at(context).records.append(name)
        }
        return true
      }
      records.forEach(read)
      files[path] = file
    }
    return files.values.sorted { $0.path < $1.path }
  }

  private func read(record: String) {
    guard let reader = indexstore_record_reader_create(store, record, nil) else { return }
    defer { indexstore_record_reader_dispose(reader) }
    _ = indexstore_record_reader_occurrences_apply_f(reader, context) { context, occurrence in
      let symbol = indexstore_occurrence_get_symbol(occurrence)
      let id = text(indexstore_symbol_get_usr(symbol))
      let roles = Int(indexstore_occurrence_get_roles(occurrence))
      if roles & INDEXSTORE_SYMBOL_ROLE_DEFINITION != 0 {
        IndexReader.at(context).file?.defined.insert(id)
      } else if roles & INDEXSTORE_SYMBOL_ROLE_REFERENCE != 0 {
        IndexReader.at(context).file?.named[id] = text(indexstore_symbol_get_name(symbol))
      }
      return true
    }
  }
}

/// The files of a target, and which of them refer to which.
struct Target {
  let files: [SourceFile]
  /// For each file those that it refers to, with the names of the symbols.
  let references: [[Int: Set<String>]]

  init(files: [SourceFile]) {
    self.files = files
    var homes: [String: Int] = [:]
    for (index, file) in files.enumerated() {
      for symbol in file.defined { homes[symbol] = index }
    }
    references = files.enumerated().map { index, file in
      var references: [Int: Set<String>] = [:]
      for case (let home?, let name) in file.named.map({ (homes[$0], $1) }) where home != index {
        references[home, default: []].insert(name)
      }
      return references
    }
  }

  /// The groups in which each file reaches each other one, the largest first; none of one file.
  func knots() -> [[Int]] {
    let reached = files.indices.map { start in
      var reached: Set<Int> = []
      var waiting = [start]
      while let next = waiting.popLast() {
        waiting += references[next].keys.filter { reached.insert($0).inserted }
      }
      return reached
    }
    let groups = files.indices.map { file in
      files.indices.filter { reached[file].contains($0) && reached[$0].contains(file) }
    }
    return Set(groups).filter { $0.count > 1 }.sorted {
      ($0.count, lines(of: $0), $0[0]) > ($1.count, lines(of: $1), $1[0])
    }
  }

  func lines(of group: [Int]) -> Int { group.reduce(0) { $0 + files[$1].lines } }
}

func fail(_ text: String) -> Never {
  FileHandle.standardError.write(Data("knots: \(text)\n".utf8))
  exit(1)
}

func printTargets(_ targets: [String: Target]) {
  print("files   lines  largest knot      the next")
  for (name, target) in targets.sorted(by: { $0.key < $1.key }) {
    let groups = [Array(target.files.indices)] + target.knots().prefix(2)
    let figures = groups.map { String(format: "%5d%8d", $0.count, target.lines(of: $0)) }
    print(figures.joined(separator: " ").padding(toLength: 42, withPad: " ", startingAt: 0), name)
  }
}

/// Prints the numbers of references between rooms, or all of those between two rooms.
func printEdges(of target: Target, between rooms: [String]) {
  var counts: [String: Int] = [:]
  for (file, references) in zip(target.files, target.references) {
    for (home, names) in references.sorted(by: { $0.key < $1.key }) {
      let other = target.files[home]
      if rooms == [file.room, other.room] {
        print("\(file.path) → \(other.path): \(names.sorted().joined(separator: ", "))")
      } else if file.room != other.room {
        counts["\(file.room) → \(other.room)", default: 0] += 1
      }
    }
  }
  for (edge, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
  where rooms.isEmpty {
    print(String(format: "%5d", count), edge)
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let sources = FileManager.default.currentDirectoryPath + "/Sources/"
guard let store = indexstore_store_create(arguments[0], nil) else { fail("there is no index") }
let files = IndexReader(store).files(below: sources)
let missing = try Set(FileManager.default.subpathsOfDirectory(atPath: sources))
  .filter { $0.hasSuffix(".swift") }.subtracting(files.map(\.path))
if !missing.isEmpty { fail("the index lacks \(missing.sorted().joined(separator: ", "))") }
let targets = Dictionary(grouping: files, by: \.target).mapValues(Target.init)

if arguments.count == 1 {
  printTargets(targets)
} else if arguments.count > 2, let target = targets[arguments[2]] {
  for knot in target.knots() where arguments[1] == "--files" {
    print("\(knot.count) files, \(target.lines(of: knot)) lines:")
    for file in knot { print("  \(target.files[file].path)") }
  }
  if arguments[1] == "--edges" { printEdges(of: target, between: Array(arguments[3...])) }
} else {
  fail("the first lines of Scripts/knots say what it takes")
}

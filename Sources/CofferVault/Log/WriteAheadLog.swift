import CofferSQLite
import Glibc

/// The commits in a write-ahead log, as SQLite will find them when it opens the database.
struct WriteAheadLog {
  /// The salts in the log's header; empty if there is no log.
  private(set) var salts: [UInt8] = []
  /// The page of each frame up to the last commit.
  private(set) var pages: [UInt32] = []
  /// The tag of each frame.
  private(set) var tags: [PageTag] = []
  /// The last frame of each commit, numbered from 1, and the pages that the database then has.
  private(set) var commits: [(frame: Int, pageCount: Int)] = []
  /// Whether the log has frames of another page size.
  private(set) var isForeign = false

  var frameCount: Int { pages.count }

  /// The number of pages after a commit; nil if no commit ends with this frame.
  func pageCount(afterFrame frame: Int) -> Int? {
    var (low, high) = (0, commits.count)
    while low < high {
      let middle = (low + high) / 2
      if commits[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    return low < commits.count && commits[low].frame == frame ? commits[low].pageCount : nil
  }

  /// Reads a log, up to the first frame that SQLite wouldn't take.
  ///
  /// - Throws: ``RawFileError``, unless there is no log.
  init(path: String, settings: CipherSettings) throws {
    guard let file = try RawFile.existing(path),
      let header = LogHeader(try file.read(count: LogLayout.headerSize, at: 0))
    else { return }
    salts = header.salts
    guard header.pageSize == settings.pageSize else {
      isForeign = true
      return
    }
    let tag = settings.tagOffset
    var reader = try LogReader(file, header, LogLayout(pageSize: settings.pageSize))
    try unsafe reader.readAll { number, frame, page in
      pages.append(frame.page)
      unsafe tags.append(PageTag(page, at: tag))
      if frame.isCommit { commits.append((number, frame.pageCount)) }
    }
    // The frames of a transaction that has no commit don't count.
    let extra = pages.count - (commits.last?.frame ?? 0)
    pages.removeLast(extra)
    tags.removeLast(extra)
  }

  /// Returns a log of the pages that are the latest before or at a frame, with their tags.
  func overlay(upTo frame: Int) -> [Int: PageTag] {
    var overlay: [Int: PageTag] = [:]
    for index in 0..<frame { overlay[Int(pages[index])] = tags[index] }
    return overlay
  }
}

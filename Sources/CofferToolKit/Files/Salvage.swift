import Coffer
import FoundationEssentials

extension Tool {
  /// `coffer salvage`
  static func salvage(_ invocation: Invocation, _ console: Console) throws -> CInt {
    let (source, target) = (invocation.arguments[0], invocation.arguments[1])
    let opening = try Opening(invocation, path: source)
    try NewFile.require(target)
    var progress = FileProgress(console)
    let report = try opening.withDamagedKey { key in
      try Interrupts.handled {
        try DatabaseFile.salvage(
          at: source, key: key, settings: opening.cipher ?? .default, to: target,
          liftedLimits: invocation.has("no-limits") ? Set(SalvageLimit.allCases) : []
        ) { try progress.show($0) }
      }
    }
    progress.finish()
    if invocation.has("json") {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      console.line(String(decoding: try encoder.encode(report), as: UTF8.self))
    } else {
      for line in "\(report)".split(separator: "\n") { console.line(String(line).printable) }
    }
    return report.isComplete ? 0 : ToolError.Code.found.rawValue
  }
}

import CofferDrawing

typealias Numbers = CofferDrawing.Numbers

/// What only a terminal shows.
extension Numbers {
  /// 1,234.5, with `digits` digits after the point.
  static func decimal(_ number: Double, digits: Int = 1) -> String {
    guard number.magnitude < 1e15 else { return "\(number)" }
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((number.magnitude * Double(scale)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    // The scale's own digit keeps the zeros behind the point.
    let fraction = digits > 0 ? "." + String(scale + scaled % scale).dropFirst() : ""
    return sign + grouped(scaled / scale) + fraction
  }

  /// 12.3 MiB, from KiB.
  static func mebibytes(fromKibibytes size: Int) -> String {
    decimal(Double(size) / 1024) + " MiB"
  }

  /// "0.4 ms" or "1.25 s".
  static func time(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    return milliseconds < 1000
      ? decimal(milliseconds) + " ms" : decimal(milliseconds / 1000, digits: 2) + " s"
  }

  /// "40 s", "5 min", "3 h" or "2 d".
  static func age(_ duration: Duration) -> String {
    let seconds = max(0, Int(duration.seconds))
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: grouped(seconds / 86_400) + " d"
    }
  }

  /// 0a 1b 2c
  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
  var seconds: Double { self / .seconds(1) }
}

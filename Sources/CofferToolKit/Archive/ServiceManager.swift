import Glibc

/// Tells systemd how a service is, by the socket that it names: see sd_notify(3).
struct ServiceManager {
  private let descriptor: CInt
  private let address: [UInt8]
  /// The time between two signs of life; nil if none are expected.
  private let watchdog: Duration?
  private var lastSign: ContinuousClock.Instant?
  private var lastStatus = ""

  /// Nil where no service manager asks for it.
  init?() {
    guard let name = getenv("NOTIFY_SOCKET").map({ Array(String(cString: $0).utf8) }),
      let first = name.first, first == 0x2F || first == 0x40, name.count < 108
    else { return nil }
    // A name in the abstract namespace begins with a zero.
    address = (first == 0x40 ? [0] + name.dropFirst() : name)
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let interval = getenv("WATCHDOG_USEC").flatMap { Int(String(cString: $0)) }
    let process = getenv("WATCHDOG_PID").flatMap { Int32(String(cString: $0)) }
    watchdog =
      process == nil || process == getpid() ? interval.map { .microseconds(max(1, $0 / 2)) } : nil
  }

  /// Tells how the service is, if that is news, and that it lives, if it is time to.
  mutating func sign(_ status: String) {
    if status != lastStatus {
      send("STATUS=\(status.split(separator: "\n").first ?? "")")
      lastStatus = status
    }
    guard let watchdog, lastSign.map({ .now - $0 >= watchdog }) ?? true else { return }
    send("WATCHDOG=1")
    lastSign = .now
  }

  /// Sends lines such as `READY=1`; a manager that is gone is ignored.
  func send(_ text: String) {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let size = socklen_t(offset + address.count + (address.first == 0 ? 0 : 1))
    let bytes = Array(text.utf8)
    withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        _ = sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), name, size)
      }
    }
  }
}

import CofferTestSupport
import Foundation
import Synchronization

/// A real browser, Chromium without a window, which is driven by its debugging protocol.
///
/// It is started once, and ends with this process, which closes its pipe.
final class Browser: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static let path: String? = {
    let candidates = [
      ProcessInfo.processInfo.environment["COFFER_CHROMIUM"], "/usr/bin/chromium",
      "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    ]
    return candidates.compactMap(\.self).first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  static let isInstalled = path != nil

  private static let started = Result { try Browser() }

  static func shared() throws -> Browser { try started.get() }

  private struct State {
    var process: Process
    var number = 0
    var unread = Data()
  }

  private let folder: TemporaryDirectory
  private let state: Mutex<State>
  private let input = Pipe()
  private let output = Pipe()

  private init() throws {
    folder = try TemporaryDirectory()
    folder.staysUntilExit()
    let process = Process()
    // Descriptor 3 is for commands, and 4 for answers.
    let options =
      "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "
      + "--no-first-run --disable-extensions --disable-background-networking "
      + "--font-render-hinting=none --force-color-profile=srgb --remote-debugging-pipe"
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      "exec \"$0\" \(options) --user-data-dir=\"$1\" about:blank "
        + "3<&0 4>&1 </dev/null >\"$1/log\" 2>&1",
      Self.path ?? "/nonexistent", folder.path,
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["HOME": folder.path, "LANG": "C.UTF-8", "TZ": "UTC"]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    state = Mutex(State(process: process))
  }

  /// The result of a command.
  func call(
    _ method: String, _ parameters: [String: Any] = [:], session: String? = nil
  ) throws -> [String: Any] {
    var message: [String: Any] = ["method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    let answer = try state.withLock { state in
      state.number += 1
      message["id"] = state.number
      let data = try JSONSerialization.data(withJSONObject: message)
      input.fileHandleForWriting.write(data + [0])
      // Events and answers to others are left out.
      while true {
        let answer = try next(&state)
        if let object = try? JSONSerialization.jsonObject(with: answer) as? [String: Any],
          object["id"] as? Int == state.number
        {
          return answer
        }
      }
    }
    let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
    guard let result = object?["result"] as? [String: Any] else {
      throw Failure(description: "\(method): \(object?["error"] ?? "no result")")
    }
    return result
  }

  private func next(_ state: inout State) throws -> Data {
    while true {
      if let end = state.unread.firstIndex(of: 0) {
        let message = Data(state.unread[..<end])
        state.unread = Data(state.unread[(end + 1)...])
        return message
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw Failure(description: "the browser has ended") }
      state.unread += more
    }
  }

  /// A tab with cookies of its own.
  func tab(width: Int = 1280, height: Int = 900) throws -> Tab {
    let context = try call("Target.createBrowserContext")["browserContextId"] as? String ?? ""
    let target =
      try call("Target.createTarget", ["url": "about:blank", "browserContextId": context])[
        "targetId"] as? String ?? ""
    let session =
      try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
      as? String ?? ""
    let tab = Tab(browser: self, context: context, session: session)
    try tab.call("Page.enable")
    try tab.resize(width: width, height: height)
    return tab
  }
}

/// A page in the browser.
final class Tab {
  /// What goes with the tab.
  var server: BrowseServer?
  private let browser: Browser
  private let context: String
  private let session: String

  fileprivate init(browser: Browser, context: String, session: String) {
    (self.browser, self.context, self.session) = (browser, context, session)
  }

  deinit { _ = try? browser.call("Target.disposeBrowserContext", ["browserContextId": context]) }

  @discardableResult
  func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    try browser.call(method, parameters, session: session)
  }

  func resize(width: Int, height: Int) throws {
    try call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
  }

  func prefer(_ features: KeyValuePairs<String, String>) throws {
    try call(
      "Emulation.setEmulatedMedia",
      ["features": features.map { ["name": $0.key, "value": $0.value] }])
  }

  /// Goes to an address, and waits until the page is there with all that it loads.
  func open(_ address: String) throws {
    let result = try call("Page.navigate", ["url": address])
    if let error = result["errorText"] as? String {
      throw Browser.Failure(description: "\(address): \(error)")
    }
    try wait("document.readyState === 'complete' && location.href !== 'about:blank'")
  }

  /// What an act leads to, which goes to another page.
  func follow(_ act: String) throws {
    // The old page's window has the mark, the new one has not.
    _ = try evaluate("window.isOld = true")
    _ = try evaluate(act)
    try wait("!window.isOld && document.readyState === 'complete'")
  }

  /// The value of an expression of JavaScript, which may be a promise.
  @discardableResult
  func evaluate(_ expression: String) throws -> Any? {
    let result = try call(
      "Runtime.evaluate",
      ["expression": expression, "returnByValue": true, "awaitPromise": true])
    if let exception = result["exceptionDetails"] as? [String: Any] {
      let object = exception["exception"] as? [String: Any]
      throw Browser.Failure(
        description: "\(expression): \(object?["description"] ?? exception["text"] ?? "")")
    }
    return (result["result"] as? [String: Any])?["value"]
  }

  func text(_ expression: String) throws -> String { try evaluate(expression) as? String ?? "" }
  func number(_ expression: String) throws -> Int { try evaluate(expression) as? Int ?? -1 }
  func holds(_ expression: String) throws -> Bool { try evaluate(expression) as? Bool ?? false }

  /// The text of the first element of a selector, without blanks at its ends.
  func text(of selector: String) throws -> String {
    try text("document.querySelector(\(quoted(selector)))?.textContent.trim() ?? ''")
  }

  /// Waits until an expression is true.
  func wait(_ expression: String) throws {
    // Long, since the machine can be busy.
    let deadline = Date(timeIntervalSinceNow: 60)
    while Date() < deadline {
      // A page that is just going has no answer.
      if (try? holds(expression)) == true { return }
      Thread.sleep(forTimeInterval: 0.02)
    }
    let page = try? text("document.body.innerText.slice(0, 1000)")
    throw Browser.Failure(description: "never: \(expression) on \(page ?? "")")
  }

  /// Presses a key as a person does.
  func press(_ key: String, control: Bool = false) throws {
    let codes = [
      "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "Tab": 9,
    ]
    var parameters: [String: Any] = [
      "type": "keyDown", "key": key, "modifiers": control ? 2 : 0,
      "windowsVirtualKeyCode": codes[key] ?? 0,
    ]
    if codes[key] == nil {
      parameters["text"] = key
    } else if key == "Enter" {
      parameters["text"] = "\r"
    }
    try call("Input.dispatchKeyEvent", parameters)
    parameters["type"] = "keyUp"
    parameters["text"] = nil
    try call("Input.dispatchKeyEvent", parameters)
  }

  /// The page as PNG.
  func picture() throws -> Data {
    let data = try call("Page.captureScreenshot", ["format": "png"])["data"] as? String
    return Data(base64Encoded: data ?? "") ?? Data()
  }

  /// Whether all is as wide as the window at most.
  var fitsTheWindow: Bool {
    get throws {
      try holds("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    }
  }
}

/// A text as a literal of JavaScript.
func quoted(_ text: String) -> String {
  let data = try? JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed)
  return String(decoding: data ?? Data("''".utf8), as: UTF8.self)
}

import CofferTestSupport
import Foundation
import Glibc
import Testing

@testable import CofferBrowse

/// Who gets a page, over a socket.
@Suite(.enabled(if: BrowseServer.isBuilt, "the tool is built without the trait Browse"))
struct AccessTests {
  private static let marker = "COFFER-MARKER"

  private static func file() throws -> BrowsedFile {
    try BrowsedFile(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, '\(marker)'); CREATE VIEW v AS SELECT * FROM t;"
    )
  }

  /// Whether an answer is a refusal without anything of the database.
  private static func isRefusal(_ answer: Answer?) -> Bool {
    guard let answer else { return true }
    return 400..<500 ~= answer.status && !answer.text.contains(marker)
      && answer["Set-Cookie"] == nil
  }

  @Test func `the token is exchanged once for a cookie of this browser`() throws {
    let server = try Self.file().serve()
    let host = "Host: 127.0.0.1:\(server.port)"
    // 256 bits.
    #expect(server.token.count >= 43)
    for wrong in [
      "", "?token=", "?token=\(server.token)0", "?token=\(server.token.dropLast())",
      "?token=\(String(server.token.reversed()))",
    ] {
      #expect(Self.isRefusal(try server.send("GET /\(wrong) HTTP/1.1", [host])))
    }
    let visitor = try Visitor(server)
    let cookie = visitor.welcome["Set-Cookie"] ?? ""
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    #expect(!cookie.contains(server.token) && !visitor.root.contains(server.token))
    #expect(try visitor.get("").status == 200)
    #expect(Self.isRefusal(try server.send("GET /?token=\(server.token) HTTP/1.1", [host])))
    #expect(try visitor.get("").status == 200)
  }

  @Test func `without the cookie there is no page`() throws {
    let file = try Self.file()
    let visitor = try file.visit()
    let host = visitor.headers[0]
    let name = visitor.cookie.split(separator: "=")[0]
    let paths = [
      "", "schema", "table?name=t", "query", "events", "style.css", "script.js", "nowhere",
    ]
    for path in paths {
      let cookies = [
        [], ["Cookie: "], ["Cookie: \(name)="], ["Cookie: \(visitor.cookie)0"],
        ["Cookie: \(visitor.cookie.dropLast())"], ["Cookie: x\(visitor.cookie)"],
        ["Cookie: \(name)=\(visitor.server.token)"],
        ["Cookie: \(visitor.cookie); \(name)=other"],
      ]
      for cookie in cookies {
        let answer = try visitor.server.send("GET \(visitor.root)\(path) HTTP/1.1", [host] + cookie)
        #expect(Self.isRefusal(answer), "\(path) \(cookie)")
      }
      let elsewhere = try visitor.server.send("GET /other/\(path) HTTP/1.1", visitor.headers)
      #expect(Self.isRefusal(elsewhere))
    }
    #expect(try visitor.get("table?name=t").text.contains(Self.marker))
  }

  @Test func `another host's name gets nothing, as a page may have let it lead here`() throws {
    let visitor = try Self.file().visit()
    let port = visitor.server.port
    let cookie = "Cookie: \(visitor.cookie)"
    let hosts = [
      ["Host: example.org"], ["Host: example.org:\(port)"], ["Host: 127.0.0.1"],
      ["Host: 127.0.0.1:1"],
      ["Host: localhost.example.org:\(port)"], ["Host: 127.0.0.1:\(port).example.org"],
      ["Host: 127.0.0.1:\(port)@example.org"], ["Host: 0.0.0.0:\(port)"], ["Host: [::1]:\(port)"],
      ["Host: "], [], ["Host: 127.0.0.2:\(port)"],
    ]
    for host in hosts {
      let answer = try visitor.server.send("GET \(visitor.root) HTTP/1.1", host + [cookie])
      #expect(Self.isRefusal(answer), "\(host)")
    }
    let local = try visitor.server.send(
      "GET \(visitor.root) HTTP/1.1", ["Host: localhost:\(port)", cookie])
    #expect(local?.status == 200)
  }

  @Test func `requests of other pages get nothing`() throws {
    let visitor = try Self.file().visit()
    for header in [
      "Origin: http://example.org", "Origin: null", "Origin: http://127.0.0.1:1",
      "Origin: https://127.0.0.1:\(visitor.server.port)", "Sec-Fetch-Site: cross-site",
      "Sec-Fetch-Site: same-site", "Sec-Fetch-Site: odd",
    ] {
      #expect(Self.isRefusal(try visitor.get("table?name=t", [header])), "\(header)")
    }
    let own = "Origin: http://127.0.0.1:\(visitor.server.port)"
    #expect(try visitor.get("", [own, "Sec-Fetch-Site: same-origin"]).status == 200)
    // A form of another page has no value of this session.
    for body in ["sql=SELECT+1", "csrf=&sql=SELECT+1", "csrf=\(visitor.server.token)&sql=SELECT+1"]
    {
      #expect(Self.isRefusal(try visitor.post("query", body: Array(body.utf8))))
    }
    let right = "csrf=\(try visitor.csrf())&sql=SELECT+1"
    #expect(
      Self.isRefusal(
        try visitor.server.send(
          "POST \(visitor.root)query HTTP/1.1",
          visitor.headers + ["Origin: http://example.org", "Content-Length: \(right.utf8.count)"],
          body: Array(right.utf8))))
    #expect(300..<400 ~= (try visitor.post("query", body: Array(right.utf8))).status)
  }

  @Test func `other methods are refused`() throws {
    let visitor = try Self.file().visit()
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "get", "X"]
    {
      let answer = try visitor.server.send("\(method) \(visitor.root) HTTP/1.1", visitor.headers)
      #expect(Self.isRefusal(answer), "\(method)")
    }
    let head = try visitor.server.send("HEAD \(visitor.root) HTTP/1.1", visitor.headers)
    #expect(head?.status == 200 && head?.body.isEmpty == true)
  }

  @Test func `paths lead to no file, and to no failure`() throws {
    let visitor = try Self.file().visit()
    let paths = [
      "../", "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2fetc%2fpasswd", "/etc/passwd",
      "%00", "table%00?name=t", "style.css/../key", "%", "%zz", "\u{202E}", "at/../", "at/1/",
      "at/99999999999999999999/", String(repeating: "a", count: 5000), "table?name=nowhere",
      "table",
      "row?name=t&key=99", "row?name=t&key=", "cell?name=t&key=1&column=nowhere",
      "picture?name=t&key=1&column=a", "query?q=k99999", "object?name=sqlite_master2",
    ]
    for path in paths {
      let answer = try visitor.server.send("GET \(visitor.root)\(path) HTTP/1.1", visitor.headers)
      // The server ends a path at a zero byte, and what is before it is a page.
      let lowest = path.contains("%00") ? 200 : 400
      let isRefused = answer.map { lowest..<500 ~= $0.status } ?? true
      #expect(isRefused, "\(path.prefix(60)): \(answer?.status ?? 0)")
      #expect(
        answer?.text.contains("root:") != true && answer?.text.contains(BrowsedFile.key) != true)
    }
    #expect(try visitor.get("").status == 200)
  }

  @Test func `odd parameters are no failure`() throws {
    let visitor = try Self.file().visit()
    for parameters in [
      "sort=nowhere", "sort=a&desc=x", "after=", "after=k1", "before=k999",
      "after=99999999999999999999",
      "after=-1", "last=x", "columns=-1", "columns=99999999999999999999", "where=k5", "form=odd",
      "sort=a&after=1", "name=t&name=t", "page=-1", "page=9223372036854775807",
      "offset=9223372036854775807", "columns=9223372036854775807", "sort=%27%22%3B--",
      "desc=1&last=1&after=1&before=1",
    ] {
      for page in [
        "table?name=t&", "?", "schema?", "object?name=t&", "row?name=t&key=1&", "table?name=v&",
        "cell?name=t&key=1&column=a&",
      ] {
        let answer = try visitor.get(page + parameters)
        #expect(200..<500 ~= answer.status, "\(page)\(parameters): \(answer.status)")
      }
    }
  }

  @Test func `nothing is kept, and a page may load nothing from elsewhere`() throws {
    let visitor = try Self.file().visit()
    for path in ["", "schema", "table?name=t", "query", "style.css", "script.js", "nowhere"] {
      let answer = try visitor.get(path)
      #expect(answer["Cache-Control"] == "no-store")
      #expect(answer["X-Content-Type-Options"] == "nosniff")
      #expect(answer["Referrer-Policy"] == "no-referrer")
      let policy = answer["Content-Security-Policy"] ?? ""
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
      #expect(!answer.text.contains("https://") || path.hasSuffix("js"), "\(path)")
      #expect(!answer.text.contains(" style=") && !answer.text.contains(" onclick="))
    }
  }

  @Test func `large requests are refused, and take no memory`() throws {
    let visitor = try Self.file().visit()
    let before = visitor.server.memory("VmHWM")
    let post = "POST \(visitor.root)query HTTP/1.1"
    let megabyte = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for length in ["1000000000", "99999999999999999999999", "-1", "65537", "x"] {
      let answer = try visitor.server.send(post, visitor.headers + ["Content-Length: \(length)"])
      #expect(Self.isRefusal(answer), "\(length)")
    }
    // A body whose length nobody has said.
    let chunked = try Connection(port: visitor.server.port)
    chunked.send(
      ([post] + visitor.headers + ["Transfer-Encoding: chunked", "", ""]).joined(separator: "\r\n"))
    for _ in 0..<64 where chunked.send(Array("100000\r\n".utf8) + megabyte + Array("\r\n".utf8)) {}
    chunked.send("0\r\n\r\n")
    #expect(Self.isRefusal(chunked.answer()))
    // A head that doesn't end, by one header and by many.
    for line in [String(decoding: megabyte, as: UTF8.self), "X-Name: value\r\n"] {
      let long = try Connection(port: visitor.server.port)
      long.send("GET \(visitor.root) HTTP/1.1\r\nX-Long: ")
      var isOpen = true
      for _ in 0..<(line.utf8.count > 100 ? 32 : 100_000) where isOpen { isOpen = long.send(line) }
      #expect(Self.isRefusal(long.answer()))
    }
    let line = String(repeating: "/a", count: 1 << 20)
    #expect(Self.isRefusal(try visitor.server.send("GET \(line) HTTP/1.1", visitor.headers)))
    #expect(try visitor.get("").status == 200)
    #expect(visitor.server.memory("VmHWM") - before < 24 << 20)
  }

  @Test func `what is no HTTP is refused`() throws {
    let visitor = try Self.file().visit()
    var generator = SeededGenerator()
    for _ in 0..<trialCount(30) {
      let connection = try Connection(port: visitor.server.port)
      connection.send(
        generator.bytes(Int.random(in: 1...400, using: &generator)) + Array("\r\n\r\n".utf8))
      #expect(Self.isRefusal(connection.answer()))
    }
    #expect(try visitor.get("").status == 200)
  }

  @Test func `slow requests hold nobody, and are ended`() throws {
    let visitor = try Self.file().visit()
    let slow = try (0..<20).map { _ in try Connection(port: visitor.server.port) }
    for connection in slow { connection.send("G") }
    let body = try Connection(port: visitor.server.port)
    body.send(
      (["POST \(visitor.root)query HTTP/1.1"] + visitor.headers + ["Content-Length: 100", "", "c"])
        .joined(separator: "\r\n"))
    for _ in 0..<5 { #expect(try visitor.get("table?name=t").status == 200) }
    // The time is the subject: the server ends them, since nothing more comes.
    for connection in slow + [body] { #expect(Self.isRefusal(Answer(connection.receiveAll()))) }
    #expect(try visitor.get("").status == 200)
  }

  @Test func `hundreds of connections at once are borne`() throws {
    let visitor = try Self.file().visit()
    var connections: [Connection] = []
    while connections.count < 1000,
      let connection = try? Connection(port: visitor.server.port, timeout: 2)
    {
      connections.append(connection)
    }
    #expect(connections.count > 100)
    for connection in connections { connection.send("GET \(visitor.root) HTTP/1.1\r\n") }
    #expect(visitor.server.isRunning)
    #expect(visitor.server.memory("VmRSS") < 128 << 20)
    connections = []
    // Once they have gone, there is room again.
    let deadline = Date(timeIntervalSinceNow: 60)
    var status = 0
    while status != 200, Date() < deadline { status = (try? visitor.get("").status) ?? 0 }
    #expect(status == 200)
  }

  @Test func `it listens on this machine's own address only`() throws {
    let server = try Self.file().serve()
    var addresses: [String] = []
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
      for line in ((try? String(contentsOfFile: table, encoding: .utf8)) ?? "").split(
        separator: "\n")
      {
        // The local address, and the state: 0A listens.
        let words = line.split(separator: " ")
        guard words.count > 3, words[3] == "0A" else { continue }
        let parts = words[1].split(separator: ":")
        if UInt16(parts[1], radix: 16) == server.port { addresses.append(String(parts[0])) }
      }
    }
    #expect(addresses == ["0100007F"])
  }

  @Test func `neither the key nor values get into what the program prints`() throws {
    let file = try Self.file()
    let visitor = try file.visit()
    _ = try visitor.get("table?name=t")
    _ = try visitor.query("SELECT a FROM t WHERE a = '\(Self.marker)' AND nowhere")
    _ = try visitor.query("DELETE FROM t WHERE a = '\(Self.marker)'")
    let printed = visitor.server.greeting + visitor.server.errorText
    #expect(!printed.contains(Self.marker) && !printed.contains(BrowsedFile.key))
    let environment = try Data(
      contentsOf: URL(fileURLWithPath: "/proc/\(visitor.server.processIdentifier)/cmdline"))
    #expect(!String(decoding: environment, as: UTF8.self).contains(BrowsedFile.key))
  }

  @Test func `a log has a line for each request, and no name, value or secret`() throws {
    let file = try BrowsedFile("CREATE TABLE secret (id INTEGER PRIMARY KEY, a)")
    let log = file.folder.path("requests.log")
    _ = try file.folder.write("before\n", to: "requests.log")
    let visitor = try file.visit("--log", log)
    _ = try visitor.get("table?name=secret&sort=a")
    _ = try visitor.get("table?name=\(Self.marker)")
    _ = try visitor.query("SELECT '\(Self.marker)'")
    _ = try visitor.get("at/7/\(Self.marker)")
    _ = try visitor.get("/\(Self.marker)/table")
    let odd = ["\(Self.marker) \(visitor.root) HTTP/1.1", "GET /?token=\(Self.marker) HTTP/1.1"]
    for line in odd { _ = try visitor.server.send(line, visitor.headers) }
    _ = try visitor.server.send("GET \(visitor.root)table?name=t HTTP/1.1", ["Host: 127.0.0.1:1"])
    #expect(visitor.server.end(by: SIGTERM) == 0)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.first == "before")
    let words = lines.dropFirst().map { $0.split(separator: " ") }
    #expect(words.allSatisfy { $0.count == 6 && Int($0[4]) != nil && $0[5] == "ms" })
    #expect(
      words.map { $0[1...3].joined(separator: " ") } == [
        "GET - 303", "GET /table 200", "GET /table 404", "GET /query 200", "POST /query 303",
        "GET /query 200", "GET - 404", "GET - 403", "- / 405", "GET - 403", "GET /table 403",
      ])
    for secret in [Self.marker, "secret", visitor.server.token, visitor.cookie, visitor.root] {
      #expect(!lines.contains { $0.contains(secret) })
    }
  }

  @Test func `a log isn't written to the database, its key or a folder that isn't there`() throws {
    let file = try Self.file()
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    for log in [file.path, file.path + "-wal", file.folder.path("key"), "/nonexistent/log"] {
      #expect(throws: BrowseServer.Failure.self) { try file.serve("--log", log) }
    }
    let after = try Data(contentsOf: URL(fileURLWithPath: file.path))
    #expect(before == after)
  }

  @Test func `Ctrl-C ends it, and leaves no file of its own`() throws {
    let file = try Self.file()
    let before = try file.folder.contents()
    let visitor = try file.visit()
    _ = try visitor.get("")
    let events = try Connection(port: visitor.server.port)
    events.send(
      (["GET \(visitor.root)events HTTP/1.1"] + visitor.headers + ["", ""]).joined(
        separator: "\r\n"))
    #expect(events.receive(until: "retry") != nil)
    let code = visitor.server.end(by: SIGINT)
    #expect(code == 0 || code == 130)
    let after = try file.folder.contents().filter { !$0.hasPrefix("browse-") }
    #expect(after == before)
  }
}

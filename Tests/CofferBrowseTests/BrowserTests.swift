import Coffer
import CofferTestSupport
import Foundation
import Testing

@testable import CofferBrowse

/// The pages in a real browser.
@Suite(
  .serialized,
  .enabled(if: BrowseServer.isBuilt, "the tool is built without the trait Browse"),
  .enabled(if: Browser.isInstalled, "chromium isn't installed"))
struct BrowserTests {
  private static let pages = [
    "", "schema", "object?name=orders", "object?name=sales", "table?name=orders",
    "table?name=stock",
    "table?name=sales", "table?name=review_text", "row?name=orders&key=9",
    "cell?name=product&key=1&column=details",
    "cell?name=product&key=1&column=photo", "query",
  ]

  /// A tab with the overview, whose failures are collected.
  private static func open(_ server: BrowseServer, width: Int = 1280) throws -> (
    tab: Tab, root: String
  ) {
    let tab = try Browser.shared().tab(width: width)
    tab.server = server
    try tab.call(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": """
        window.failures = [];
        addEventListener("error", event => failures.push(String(event.message ?? event.target?.src)), true);
        addEventListener("unhandledrejection", event => failures.push(String(event.reason)));
        document.addEventListener("securitypolicyviolation",
          event => failures.push(`${event.violatedDirective}: ${event.blockedURI}`));
        """
      ])
    try tab.open(server.address)
    return (tab, try tab.text("location.href"))
  }

  private static func expectNoFailure(_ tab: Tab, _ page: String) throws {
    let failures = try tab.text("(window.failures ?? []).join('\\n')")
    #expect(failures.isEmpty, "\(page)")
  }

  @Test func `each page opens, with a title, a heading and no failure`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve())
    #expect(!root.contains("token"))
    for page in Self.pages {
      try tab.open(root + page)
      try Self.expectNoFailure(tab, page)
      #expect(try tab.number("document.querySelectorAll('h1').length") == 1, "\(page)")
      #expect(try !tab.text("document.title").isEmpty)
      #expect(try !tab.text("document.documentElement.lang").isEmpty)
      #expect(
        try tab.number("document.querySelectorAll('main#main, body > header nav').length") == 2)
      // What has to be typed or pressed has a name for those who don't see it.
      let nameless = try tab.text(
        """
        [...document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a[href]")]
          .filter(e => !(e.labels?.length || e.ariaLabel || e.title || e.textContent.trim()
            || e.getAttribute("aria-labelledby") || e.querySelector("img[alt]")))
          .map(e => e.outerHTML).join("\\n")
        """)
      #expect(nameless.isEmpty, "\(page)")
      let ids = try tab.holds(
        "(all => new Set(all).size === all.length)([...document.querySelectorAll('[id]')].map(e => e.id))"
      )
      #expect(ids, "\(page)")
    }
  }

  @Test func `the overview leads to tables, and the diagram, too`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve())
    #expect(try tab.text("document.body.innerText").contains("customer"))
    try tab.follow(
      "[...document.querySelectorAll('main a')].find(a => a.textContent === 'orders').click()")
    #expect(try tab.number("document.querySelectorAll('table.rows tbody tr').length") > 10)
    try tab.open(root + "schema")
    #expect(try tab.number("document.querySelectorAll('.diagram .box').length") > 10)
    #expect(try tab.number("document.querySelectorAll('.diagram .arrow').length") >= 15)
    try tab.follow(
      "document.querySelector('.diagram .box[aria-label=\"Table product\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    #expect(try tab.text("document.title").contains("product"))
  }

  @Test func `the keyboard goes through rows and pages, and asks for help`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve())
    try tab.open(root + "table?name=orders")
    let first = try tab.text("document.querySelector('table.rows tbody tr').dataset.key")
    try tab.press("j")
    #expect(try tab.text("document.activeElement.dataset.key") == first)
    try tab.press("ArrowDown")
    #expect(try tab.text("document.activeElement.dataset.key") != first)
    try tab.press("k")
    #expect(try tab.text("document.activeElement.dataset.key") == first)
    try tab.evaluate("window.isOld = true")
    try tab.press("]")
    try tab.wait("!window.isOld && document.readyState === 'complete'")
    #expect(try tab.text("document.querySelector('table.rows tbody tr').dataset.key") != first)
    try tab.evaluate("window.isOld = true")
    try tab.press("[")
    try tab.wait("!window.isOld && document.readyState === 'complete'")
    #expect(try tab.text("document.querySelector('table.rows tbody tr').dataset.key") == first)
    try tab.press("?")
    #expect(try tab.holds("document.querySelector('dialog').open"))
    try tab.press("Escape")
    try tab.wait("!document.querySelector('dialog')")
    try tab.press("/")
    #expect(try tab.holds("document.activeElement.matches('form input, form select')"))
    // A field gets the letter.
    try tab.evaluate("document.querySelector('form.conditions input:not([type=hidden])').focus()")
    try tab.press("j")
    #expect(try tab.text("document.activeElement.value") == "j")
    try tab.press("Escape")
    try tab.press("Enter")
    try Self.expectNoFailure(tab, "keyboard")
  }

  @Test func `a query runs by Ctrl-Enter, and has a result, a plan and a chart`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve())
    try tab.open(root + "query")
    let sql = "SELECT substr(placed, 1, 10) AS day, sum(total) AS total FROM orders GROUP BY day"
    try tab.evaluate(
      "(area => { area.value = \(quoted(sql)); area.focus(); window.isOld = true })(document.querySelector('form.query textarea'))"
    )
    try tab.press("Enter", control: true)
    try tab.wait("!window.isOld && document.readyState === 'complete'")
    #expect(try tab.number("document.querySelectorAll('table.rows tbody tr').length") > 10)
    #expect(try !tab.text("location.href").contains("SELECT"))
    let links = try tab.text("[...document.querySelectorAll('main a')].map(a => a.href).join(' ')")
    #expect(links.contains("plan=1") && links.contains("chart=") && links.contains("download=csv"))
    try tab.follow("document.querySelector('main a[href*=\"plan=1\"]').click()")
    #expect(try tab.number("document.querySelectorAll('ul.plan li').length") > 0)
    try tab.evaluate("history.back()")
    try tab.wait(
      "document.querySelector('main a[href*=\"chart=\"]') && document.readyState === 'complete'")
    try tab.follow("document.querySelector('main a[href*=\"chart=\"]').click()")
    #expect(try tab.number("document.querySelectorAll('figure.chart svg').length") == 1)
    try Self.expectNoFailure(tab, "query")
  }

  @Test func `dark where the person prefers that, with contrast in both`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve())
    for (scheme, isDark) in [("light", false), ("dark", true)] {
      try tab.prefer(["prefers-color-scheme": scheme])
      for page in ["", "schema", "table?name=orders"] {
        try tab.open(root + page)
        // The lightness of colors from 0 to 1, and the ratio of WCAG between a text and what is below.
        let measure = """
          (() => {
            const light = color => {
              const parts = color.match(/[0-9.]+/g).slice(0, 3).map(x => x / 255)
                .map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
              return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
            };
            const back = element => {
              for (let e = element; e; e = e.parentElement) {
                const color = getComputedStyle(e).backgroundColor;
                if (!/, 0\\)$|transparent|\\/ 0\\)/.test(color)) return color;
              }
              return "rgb(255, 255, 255)";
            };
            const worst = [...document.querySelectorAll("main a, main p, main td, main th, header a, h1, h2, label")]
              .filter(e => e.textContent.trim()).map(e => {
                const [a, b] = [light(getComputedStyle(e).color), light(back(e))];
                return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.outerHTML.slice(0, 200)];
              }).sort((a, b) => a[0] - b[0])[0];
            return JSON.stringify([light(getComputedStyle(document.documentElement).backgroundColor), worst[0], worst[1]]);
          })()
          """
        let result = try JSONSerialization.jsonObject(with: Data(tab.text(measure).utf8)) as? [Any]
        let (back, ratio) = (result?[0] as? Double ?? -1, result?[1] as? Double ?? 0)
        #expect(isDark ? back < 0.1 : back > 0.8)
        #expect(ratio >= 4.5, "\(scheme) \(page) \(result?[2] ?? "")")
      }
    }
  }

  @Test func `a narrow window has all of each page`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve(), width: 360)
    for page in Self.pages {
      try tab.open(root + page)
      #expect(try tab.fitsTheWindow, "\(page)")
    }
    let odd = try BrowsedFile(
      """
      CREATE TABLE "\(String(repeating: "long", count: 40))" (id INTEGER PRIMARY KEY, "\(String(repeating: "x", count: 200))");
      """)
    let (other, otherRoot) = try Self.open(odd.serve(), width: 360)
    for page in ["", "schema", "table?name=" + String(repeating: "long", count: 40)] {
      try other.open(otherRoot + page)
      #expect(try other.fitsTheWindow, "\(page)")
    }
  }

  @Test func `without the script everything but following works`() throws {
    let (tab, root) = try Self.open(BrowsedFile.shop().serve())
    try tab.call("Emulation.setScriptExecutionDisabled", ["value": true])
    for page in Self.pages {
      try tab.open(root + page)
      #expect(try tab.number("document.querySelectorAll('h1').length") == 1, "\(page)")
    }
    try tab.open(root + "table?name=orders")
    let first = try tab.text("document.querySelector('table.rows tbody tr').dataset.key")
    let next = try tab.text("document.querySelector('a[rel~=next]').href")
    try tab.open(next)
    #expect(try tab.text("document.querySelector('table.rows tbody tr').dataset.key") != first)
    try tab.open(root + "query")
    // What a press on the button does, and no script of the page.
    try tab.evaluate(
      "document.querySelector('form.query textarea').value = 'SELECT 6 * 7 AS answer'")
    try tab.evaluate("document.querySelector('form.query button').click()")
    try tab.wait("document.querySelector('table.rows td')?.textContent.trim() === '42'")
  }

  @Test func `what another process commits is shown, and marked`() throws {
    let file = try BrowsedFile.shop()
    let (tab, root) = try Self.open(file.serve())
    try tab.open(root + "table?name=country")
    try tab.press("j")
    // The stream has to be there before the commit.
    try tab.wait("live.source?.readyState === 1")
    // Marks go after a moment: what was marked is kept.
    try tab.evaluate(
      """
      window.marked = [];
      new MutationObserver(() => marked.push(...[...document.querySelectorAll(".changed")].map(e => e.textContent)))
        .observe(document.querySelector("main"), { childList: true, subtree: true })
      """)
    try file.execute("UPDATE country SET name = 'Norway' WHERE id = 2")
    try tab.wait("document.body.innerText.includes('Norway')")
    #expect(try tab.holds("marked.some(text => text.includes('Norway'))"))
    #expect(try tab.holds("!marked.some(text => text.includes('Austria'))"))
    // The row that had the focus still has it.
    #expect(try tab.text("document.activeElement.dataset.key") == "1")
    try file.execute("INSERT INTO country VALUES (99, 'Portugal')")
    try tab.wait("document.body.innerText.includes('Portugal')")
    try file.execute("DELETE FROM country WHERE id = 99")
    try tab.wait("!document.body.innerText.includes('Portugal')")
    // The count of the overview.
    try tab.open(root)
    try tab.wait("live.source?.readyState === 1")
    let row =
      "[...document.querySelectorAll('tr')].find(r => r.dataset.key === 'country').innerText"
    #expect(try tab.text(row).contains("8"))
    try file.execute("INSERT INTO country VALUES (98, 'Greece')")
    try tab.wait("\(row).includes('9')")
    try Self.expectNoFailure(tab, "live")
  }

  @Test func `values and names that look like markup do nothing`() throws {
    let file = try BrowsedFile()
    let evil = "<img src=x onerror='window.hacked = 1'><script>window.hacked = 1</script>"
    try file.execute(
      "CREATE TABLE \(evil.quotedDatabaseIdentifier) (id INTEGER PRIMARY KEY, \(("c" + evil).quotedDatabaseIdentifier))"
    )
    try file.execute("INSERT INTO \(evil.quotedDatabaseIdentifier) VALUES (1, ?)", [evil])
    let (tab, root) = try Self.open(file.serve())
    let name = encoded(evil)
    for page in [
      "", "schema", "table?name=\(name)", "object?name=\(name)", "row?name=\(name)&key=1",
      "cell?name=\(name)&key=1&column=\(encoded("c" + evil))",
    ] {
      try tab.open(root + page)
      #expect(
        try tab.holds("window.hacked === undefined && !document.querySelector('main img[src=x]')"),
        "\(page)")
      try Self.expectNoFailure(tab, page)
    }
    // A live page gets markup through the script.
    try tab.open(root + "table?name=\(name)")
    try tab.wait("live.source?.readyState === 1")
    try file.execute("INSERT INTO \(evil.quotedDatabaseIdentifier) VALUES (2, ?)", [evil + "later"])
    try tab.wait("document.body.innerText.includes('later')")
    #expect(try tab.holds("window.hacked === undefined"))
  }

  /// Archives a file's commits, beside it.
  private static func archive(_ file: BrowsedFile) throws {
    let run = Command.run(
      BrowseServer.toolPath,
      [
        "archive", "run", file.path, "--to", file.folder.path("archive"), "--once", "--key-file",
        file.folder.path("key"),
      ])
    #expect(run?.status == 0, "\(run?.output ?? "")")
  }

  @Test func `an archive has a time line, whose commits are opened`() throws {
    let file = try BrowsedFile(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'first')")
    try Self.archive(file)
    for value in ["second", "third"] {
      try file.execute("UPDATE t SET a = ?", [value])
      try Self.archive(file)
    }
    let server = try BrowseServer(["--from", file.folder.path("archive")], in: file.folder)
    let (tab, root) = try Self.open(server)
    try tab.open(root + "archive")
    try Self.expectNoFailure(tab, "archive")
    #expect(try tab.fitsTheWindow)
    #expect(try tab.number("document.querySelectorAll('.timeline line.mark').length") > 0)
    let before = try file.folder.contents()
    // The oldest commit is opened by a form.
    try tab.follow("[...document.querySelectorAll('form[action$=\"open\"] button')].at(-1).click()")
    try tab.wait("location.pathname.includes('/at/')")
    let place = try tab.text("location.href")
    try tab.open(place.replacing(/\?.*/, with: "") + "table?name=t")
    let shown = try tab.text("document.querySelector('table.rows tbody').innerText")
    #expect(["first", "second", "third"].contains { shown.contains($0) })
    #expect(try file.folder.contents().count <= before.count + 1)
    try Self.expectNoFailure(tab, "commit")
  }

  @Test func `two commits of an archive are compared by table and row`() throws {
    let file = try BrowsedFile(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'first'), (2, 'same')")
    try Self.archive(file)
    try file.execute("UPDATE t SET a = 'second' WHERE id = 1")
    try Self.archive(file)
    try file.execute("INSERT INTO t VALUES (3, '<i>new</i>'); CREATE TABLE u (b)")
    try Self.archive(file)
    let server = try BrowseServer(["--from", file.folder.path("archive")], in: file.folder)
    let (tab, root) = try Self.open(server)
    let numbers = try ["min", "max"].map { end in
      try tab.text("document.querySelector('#number').\(end)")
    }
    // A commit that isn't open can't be compared.
    try tab.open(root + "compare?from=\(numbers[0])&to=\(numbers[1])")
    #expect(try tab.text(of: "h1") == "Not found")
    for number in numbers {
      try tab.open(root + "archive")
      try tab.follow(
        "(field => { field.value = \(number); field.form.requestSubmit() })(document.querySelector('#number'))"
      )
      #expect(try tab.text("location.pathname").hasSuffix("/at/\(number)/"))
    }
    try tab.open(root + "archive")
    try tab.follow("document.querySelector('form[action$=\"compare\"] button').click()")
    func texts(_ selector: String) throws -> String {
      try tab.text(
        "[...document.querySelectorAll('\(selector)')].map(e => e.textContent).join('\\n')")
    }
    #expect(try texts(".diff h2") == "Schema\nt")
    #expect(try texts(".diff del") == "− id=1 a='first'")
    #expect(try texts(".diff ins") == "+ table u\n+ id=1 a='second'\n+ id=3 a='<i>new</i>'")
    #expect(try tab.fitsTheWindow)
    try Self.expectNoFailure(tab, "comparison")
    // The other way round, and one with itself.
    try tab.open(root + "compare?from=\(numbers[1])&to=\(numbers[0])")
    #expect(try texts(".diff ins") == "+ id=1 a='first'")
    try tab.open(root + "compare?from=\(numbers[1])&to=\(numbers[1])")
    #expect(try tab.text(of: ".notice") == "Nothing differs.")
  }
}

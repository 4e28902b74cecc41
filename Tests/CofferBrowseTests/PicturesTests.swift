import Foundation
import Testing

@testable import CofferBrowse

private let folder = ProcessInfo.processInfo.environment["COFFER_PICTURES"]

/// Makes the pictures of the documentation: `Scripts/browse-pictures`.
@Suite(
  .serialized,
  .enabled(if: folder != nil, "COFFER_PICTURES names no folder"),
  .enabled(if: BrowseServer.isBuilt && Browser.isInstalled, "chromium or the trait is missing"))
struct PicturesTests {
  private static func save(_ tab: Tab, _ name: String) throws {
    // Nothing moves, and no caret blinks.
    try tab.wait("document.getAnimations().every(a => a.playState === 'finished')")
    let picture = try tab.picture()
    #expect(picture.count < 200_000, "\(name): \(picture.count)")
    try picture.write(to: URL(fileURLWithPath: "\(folder ?? ".")/browse-\(name).png"))
  }

  @Test func `pictures of a shop`() throws {
    let server = try BrowsedFile.shop(orders: 1200).serve()
    let tab = try Browser.shared().tab(width: 1200, height: 760)
    try tab.prefer(["prefers-color-scheme": "light"])
    try tab.open(server.address)
    let root = try tab.text("location.href")
    try Self.save(tab, "overview")
    try tab.open(root + "schema")
    try Self.save(tab, "schema")
    try tab.open(root + "table?name=orders&sort=placed&desc=1")
    try Self.save(tab, "rows")
    try tab.open(root + "row?name=customer&key=12")
    try Self.save(tab, "row")
    try tab.open(root + "cell?name=product&key=2&column=details")
    try Self.save(tab, "cell")
    try tab.prefer(["prefers-color-scheme": "dark"])
    let sql = """
      SELECT substr(placed, 1, 7) || '-01' AS month, sum(total) AS revenue
      FROM orders
      WHERE status != 'returned'
      GROUP BY month
      """
    try tab.resize(width: 1200, height: 900)
    try tab.open(root + "query")
    try tab.evaluate("document.querySelector('form.query textarea').value = \(quoted(sql))")
    try tab.follow("document.querySelector('form.query button').click()")
    try tab.evaluate("document.activeElement.blur()")
    try Self.save(tab, "query")
    try tab.follow("document.querySelector('main a[href*=\"plan=1\"]').click()")
    try Self.save(tab, "plan")
    try tab.open(root)
    try Self.save(tab, "overview-dark")
  }
}

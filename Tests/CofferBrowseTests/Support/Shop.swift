import Coffer
import Foundation

/// A shop with orders of a year, the same in each run.
enum Shop {
  static let schema = """
    CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE customer (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE,
      country_id INTEGER NOT NULL REFERENCES country(id), since DATE NOT NULL);
    CREATE INDEX customer_country ON customer(country_id);
    CREATE TABLE address (
      id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id),
      street TEXT NOT NULL, city TEXT NOT NULL, country_id INTEGER NOT NULL REFERENCES country(id));
    CREATE TABLE category (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES category(id));
    CREATE TABLE supplier (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, country_id INTEGER NOT NULL REFERENCES country(id));
    CREATE TABLE product (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER REFERENCES category(id),
      supplier_id INTEGER REFERENCES supplier(id), price REAL NOT NULL, details TEXT, photo BLOB);
    CREATE TABLE warehouse (
      id INTEGER PRIMARY KEY, city TEXT NOT NULL, country_id INTEGER NOT NULL REFERENCES country(id));
    CREATE TABLE stock (
      product_id INTEGER REFERENCES product(id), warehouse_id INTEGER REFERENCES warehouse(id),
      pieces INTEGER NOT NULL, PRIMARY KEY (product_id, warehouse_id)) WITHOUT ROWID;
    CREATE TABLE orders (
      id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id),
      address_id INTEGER REFERENCES address(id), placed DATETIME NOT NULL, status TEXT NOT NULL,
      total REAL, note TEXT);
    CREATE INDEX orders_customer ON orders(customer_id);
    CREATE INDEX orders_placed ON orders(placed);
    CREATE TABLE line (
      id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id),
      product_id INTEGER NOT NULL REFERENCES product(id), pieces INTEGER NOT NULL, price REAL NOT NULL);
    CREATE INDEX line_order ON line(order_id);
    CREATE TABLE review (
      id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES product(id),
      customer_id INTEGER REFERENCES customer(id), stars INTEGER NOT NULL, text TEXT);
    CREATE VIRTUAL TABLE review_text USING fts5(text, content='review', content_rowid='id');
    CREATE VIEW sales AS
      SELECT substr(placed, 1, 7) AS month, round(sum(total), 2) AS total FROM orders GROUP BY month;
    CREATE TRIGGER review_insert AFTER INSERT ON review BEGIN
      INSERT INTO review_text(rowid, text) VALUES (new.id, new.text);
    END;
    """

  private static let countries = [
    "Austria", "Denmark", "France", "Germany", "Italy", "Netherlands", "Poland", "Spain",
  ]
  private static let cities = [
    "Vienna", "Aarhus", "Lyon", "Leipzig", "Turin", "Utrecht", "Gdańsk", "Valencia",
  ]
  private static let first = [
    "Ada", "Bjørn", "Chloé", "Dario", "Elif", "Fatima", "Grace", "Henrik", "Inês", "Jan", "Karin",
    "Łukasz", "Mira", "Noor", "Olga", "Pavel",
  ]
  private static let last = [
    "Almeida", "Brandt", "Costa", "Dupont", "Eriksen", "Fischer", "García", "Hansen", "Ivanova",
    "Jansen", "Kowalska", "Lindqvist", "Moreau",
  ]
  private static let goods = [
    ("Green tea", 6.5), ("Espresso beans", 12.9), ("Cocoa", 7.2), ("Teapot", 38), ("Kettle", 54.5),
    ("Mug", 9.8), ("Grinder", 119), ("Filter papers", 4.4), ("Scales", 29.9), ("Honey", 8.1),
    ("Oat biscuits", 3.6), ("Strainer", 6.9),
  ]
  private static let opinions = [
    "Exactly as described, arrived quickly.", "Good, but the packaging was damaged.",
    "My favourite tea for years.", "Too sweet for my taste.", "Solid and easy to clean.",
    "The lid doesn't fit well.",
  ]

  /// Makes the tables and fills them, with `orders` orders.
  static func fill(_ db: Database, orders: Int = 600) throws {
    try db.execute(sql: schema)
    // Rows come in an order that is easy to read.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    func insert(_ table: String, _ values: (any DatabaseValueConvertible)?...) throws {
      let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
      try db.execute(
        sql: "INSERT INTO \(table) VALUES (\(marks))", arguments: StatementArguments(values))
    }
    for (index, name) in countries.enumerated() {
      try insert("country", index + 1, name)
      try insert("supplier", index + 1, "\(last[index]) & Sons", index % 5 + 1)
      if index < 3 { try insert("warehouse", index + 1, cities[index * 2 + 1], index * 2 + 2) }
    }
    for (index, name) in ["Drinks", "Tea", "Coffee", "Kitchen", "Food"].enumerated() {
      try insert("category", index + 1, name, [nil, 1, 1, nil, nil][index])
    }
    for index in 0..<208 {
      let name = "\(first[index % 16]) \(last[(index * 7 + index / 16) % 13])"
      let mail = name.lowercased().replacing(" ", with: ".") + "\(index)@example.org"
      try insert("customer", index + 1, name, mail, index * 5 % 8 + 1, day(index * 3 - 700))
      try insert(
        "address", index + 1, index + 1, "Street \(index * 13 % 90 + 1)", cities[index * 5 % 8],
        index * 5 % 8 + 1)
    }
    for (index, good) in goods.enumerated() {
      try insert(
        "product", index + 1, good.0, index % 5 + 1, index % 8 + 1, good.1,
        """
        {"name": "\(good.0)", "weight": \(120 + index * 35), "tags": ["new", "organic"], \
        "origin": {"country": "\(countries[index % 8])", "certified": true}, "successor": null}
        """, picture)
      for warehouse in 1...3 {
        try insert("stock", index + 1, warehouse, (index * 31 + warehouse * 17) % 90)
      }
    }
    var line = 0
    for order in 1...max(1, orders) {
      let customer = (order * 37) % 208 + 1
      var total = 0.0
      let count = order % 4 + 1
      try insert(
        "orders", order, customer, customer, moment(order, of: orders),
        ["delivered", "delivered", "shipped", "delivered", "open", "returned"][order * 5 % 6], nil,
        order % 9 == 0 ? "Leave at the neighbor's, please." : nil)
      for item in 0..<count {
        let good = (order * 7 + item * 5) % goods.count
        line += 1
        let pieces = (order + item) % 3 + 1
        try insert("line", line, order, good + 1, pieces, goods[good].1)
        total += Double(pieces) * goods[good].1
      }
      try db.execute(
        sql: "UPDATE orders SET total = round(?, 2) WHERE id = ?", arguments: [total, order])
    }
    for index in 0..<240 {
      try insert(
        "review", index + 1, index * 5 % goods.count + 1, index % 208 + 1, index * 7 % 5 + 1,
        opinions[index % opinions.count])
    }
  }

  /// A day of 2026, by its number; it may be negative.
  private static func day(_ number: Int) -> String { String(text(number, 0).prefix(10)) }

  /// Orders are closer together toward the end of the year.
  private static func moment(_ order: Int, of count: Int) -> String {
    let part = (Double(order) / Double(count)).squareRoot()
    return text(Int(part * 330), (order * 7919) % 50_000 + 28_000)
  }

  private static func text(_ day: Int, _ seconds: Int) -> String {
    let date = Date(timeIntervalSince1970: 1_767_225_600 + Double(day) * 86_400 + Double(seconds))
    let format = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day().dateSeparator(.dash)
      .dateTimeSeparator(.space).time(includingFractionalSeconds: false)
    return date.formatted(format)
  }

  /// One pixel as GIF.
  private static let picture = Data([
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0x3F, 0x9A, 0x83, 0, 0, 0, 0x2C, 0,
    0, 0,
    0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
  ])
}

extension BrowsedFile {
  /// An encrypted shop.
  static func shop(orders: Int = 600) throws -> BrowsedFile {
    let file = try BrowsedFile()
    try file.writer.write { try Shop.fill($0, orders: orders) }
    return file
  }
}

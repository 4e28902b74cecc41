import Testing

@testable import Coffer

@Suite("Inflections") struct InflectionsTests {
  @Test func `digits at the end of a name stay there`() {
    for (singular, plural) in [
      ("player", "players"), ("bestPlayer", "bestPlayers"), ("person", "people"),
      ("news", "news"), ("box", "boxes"),
    ] {
      for digits in ["1", "123", ""] {
        #expect(Inflections.default.pluralize(singular + digits) == plural + digits)
        #expect(Inflections.default.pluralize(plural + digits) == plural + digits)
        #expect(Inflections.default.singularize(plural + digits) == singular + digits)
        #expect(Inflections.default.singularize(singular + digits) == singular + digits)
      }
    }
    #expect(Inflections.default.pluralize("") == "")
    #expect(Inflections.default.pluralize("12") == "12")
  }

  @Test func `rules are tried from the last one on`() {
    var inflections = Inflections()
    #expect(inflections.pluralize("player") == "player")
    inflections.plural("$", "s")
    inflections.plural("s$", "s")
    inflections.singular("s$", "")
    inflections.plural("(alias|status)$", "$1es")
    #expect(inflections.pluralize("player") == "players")
    #expect(inflections.pluralize("players") == "players")
    #expect(inflections.pluralize("best_Status12") == "best_Statuses12")
    #expect(inflections.singularize("players") == "player")
    inflections.plural("^ox$", options: [], "oxen")
    #expect(inflections.pluralize("myOx") == "myOxs")
    #expect(inflections.pluralize("my_ox") == "my_oxen")
  }

  @Test func `irregular and uncountable words keep their forms`() {
    var inflections = Inflections.default
    inflections.irregularSuffix("foo", "feese")
    inflections.irregularSuffix("cow", "kine")
    inflections.uncountableWords(["HTTP", "猫", "ors"])
    for (singular, plural) in [
      ("foo", "feese"), ("Foo", "Feese"), ("oneFoo", "oneFeese"), ("foo1", "feese1"),
      ("cow", "kine"), ("Cow", "Kine"), ("bigCow", "bigKine"), ("HTTP", "HTTP"), ("http", "http"),
      ("猫", "猫"), ("ors", "ors"), ("sponsor", "sponsors"), ("my_http", "my_http"),
    ] {
      #expect(inflections.pluralize(singular) == plural)
      #expect(inflections.pluralize(plural) == plural)
      #expect(inflections.singularize(plural) == singular)
      #expect(inflections.singularize(singular) == singular)
    }
    #expect(Inflections.default.pluralize("foo") == "foos")
  }
}

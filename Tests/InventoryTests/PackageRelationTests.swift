import Testing

@testable import Inventory

struct PackageRelationTests {
  @Test(
    arguments: [
      ("libc6", "libc6", nil, nil, nil),
      ("  libc6\t", "libc6", nil, nil, nil),
      ("libc6 (>= 2.34)", "libc6", nil, ">=", "2.34"),
      ("libc6(>=2.34)", "libc6", nil, ">=", "2.34"),
      ("libc6 ( << 1:2.34~rc1-1+b1 )", "libc6", nil, "<<", "1:2.34~rc1-1+b1"),
      ("python3:any (>= 3.7~)", "python3", "any", ">=", "3.7~"),
      ("python3:any", "python3", "any", nil, nil),
      ("gcc:amd64(= 12)", "gcc", "amd64", "=", "12"),
      ("old (< 2)", "old", nil, "<=", "2"),
      ("old (> 2)", "old", nil, ">=", "2"),
      ("bare (2)", "bare", nil, "=", "2"),
      ("open (>= 2", "open", nil, ">=", "2"),
      ("nothing ()", "nothing", nil, nil, nil),
      ("nothing (>=)", "nothing", nil, nil, nil),
      ("colon:", "colon", nil, nil, nil),
      ("limited [amd64 i386] <!nocheck>", "limited", nil, nil, nil),
      ("two words", "two", nil, nil, nil),
      ("g++-12", "g++-12", nil, nil, nil),
      ("näme (= ü)", "näme", nil, "=", "ü"),
    ] as [(String, String, String?, String?, String?)])
  func `a relation has a name, and perhaps more`(
    text: String, name: String, architecture: String?, comparison: String?, version: String?
  ) {
    #expect(
      PackageRelation(Substring(text))
        == PackageRelation(
          name: name, architecture: architecture, comparison: comparison, version: version))
  }

  @Test(arguments: ["", " ", "(>= 1)", ":any", "[amd64]"])
  func `without a name there is no relation`(text: String) {
    #expect(PackageRelation(Substring(text)) == nil)
  }

  @Test func `commas part groups, and bars part alternatives`() {
    let groups = PackageRelation.groups("a, b | c (>= 1)|d:any ,, | , e,")
    #expect(groups.map { $0.map(\.name) } == [["a"], ["b", "c", "d"], ["e"]])
    #expect(groups[1][1].version == "1")
    #expect(groups[1][2].architecture == "any")
  }
}

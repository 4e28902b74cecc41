@testable import CofferDocuments

enum Only2: String, Codable { case yes, no }

/// A hundred properties, most of them of the same type.
struct Hundred: Codable {
  var p0: Bool, p1: Bool, p2: Bool, p3: Bool, p4: Bool, p5: Bool, p6: Bool, p7: Bool, p8: Bool,
    p9: Bool
  var p10: Bool, p11: Bool, p12: Bool, p13: Bool, p14: Bool, p15: Bool, p16: Bool, p17: Bool,
    p18: Bool, p19: Bool
  var p20: Bool, p21: Bool, p22: Bool, p23: Bool, p24: Bool, p25: Bool, p26: Bool, p27: Bool,
    p28: Bool, p29: Bool
  var p30: Bool, p31: Bool, p32: Bool, p33: Bool, p34: Bool, p35: Bool, p36: Bool, p37: Bool,
    p38: Bool, p39: Bool
  var p40: Bool, p41: Bool, p42: Bool, p43: Bool, p44: Bool, p45: Bool, p46: Bool, p47: Bool,
    p48: Bool, p49: Bool
  var p50: Bool, p51: Bool, p52: Bool, p53: Bool, p54: Bool, p55: Bool, p56: Bool, p57: Bool,
    p58: Bool, p59: Bool
  var p60: Only2, p61: Only2, p62: Only2, p63: Only2, p64: Only2, p65: Only2, p66: Only2,
    p67: Only2, p68: Only2, p69: Only2
  var p70: String, p71: String, p72: String, p73: String, p74: String, p75: String, p76: String,
    p77: String, p78: String, p79: String
  var p80: String, p81: String, p82: String, p83: String, p84: String, p85: String, p86: String,
    p87: String, p88: String, p89: String
  var p90: String, p91: String, p92: String, p93: String, p94: String, p95: String, p96: String,
    p97: String, p98: String, p99: String

  static var paths: [PartialKeyPath<Hundred>] {
    [
      \.p0, \.p1, \.p2, \.p3, \.p4, \.p5, \.p6, \.p7, \.p8, \.p9,
      \.p10, \.p11, \.p12, \.p13, \.p14, \.p15, \.p16, \.p17, \.p18, \.p19,
      \.p20, \.p21, \.p22, \.p23, \.p24, \.p25, \.p26, \.p27, \.p28, \.p29,
      \.p30, \.p31, \.p32, \.p33, \.p34, \.p35, \.p36, \.p37, \.p38, \.p39,
      \.p40, \.p41, \.p42, \.p43, \.p44, \.p45, \.p46, \.p47, \.p48, \.p49,
      \.p50, \.p51, \.p52, \.p53, \.p54, \.p55, \.p56, \.p57, \.p58, \.p59,
      \.p60, \.p61, \.p62, \.p63, \.p64, \.p65, \.p66, \.p67, \.p68, \.p69,
      \.p70, \.p71, \.p72, \.p73, \.p74, \.p75, \.p76, \.p77, \.p78, \.p79,
      \.p80, \.p81, \.p82, \.p83, \.p84, \.p85, \.p86, \.p87, \.p88, \.p89,
      \.p90, \.p91, \.p92, \.p93, \.p94, \.p95, \.p96, \.p97, \.p98, \.p99,
    ]
  }
}

/// A passphrase of random words.
enum DemoPassphrase {
  /// 256 words, so each adds 8 bits of entropy.
  static let words: [Substring] = """
    acorn actor album alley amber angle ankle apple apron arrow atlas attic bacon badge bagel \
    baker bamboo banjo barley basil basin beach beard beaver berry birch blade blanket bloom \
    board bonnet boots bottle bowl branch bread breeze brick bridge broom brush bucket butter \
    button cabin cable cactus candle canoe canvas carpet carrot castle cedar cello chalk cherry \
    chess chimney cider circus clay cliff clock cloud clover coast cobalt cocoa comet compass \
    copper coral corner cotton cradle crane crater cricket crown cup curtain dance dawn deck \
    desert dolphin donkey door dragon drawer drum dune eagle earth easel echo elbow ember engine \
    fabric falcon feather fence fern ferry fiddle field finch flame flask flint flute foam \
    forest fossil fountain fox frost garden garlic ginger glacier glove goat granite grape grove \
    guitar hammer harbor hazel hedge heron hill honey hook horse ice igloo ink iron island ivory \
    ivy jacket jasmine jelly jewel jungle kettle kite kiwi knot ladder lagoon lake lamp lantern \
    lark laurel leaf lemon lentil lily linen lizard lobster locket lotus magnet mango maple \
    marble market meadow melon mint mirror mitten monkey moon moss mountain mushroom needle nest \
    nickel nutmeg oak oasis oat ocean olive onion orbit orchard otter oven owl oyster paddle \
    palace panda paper parrot peach pear pebble pencil pepper piano pickle pigeon pillow pine \
    planet plum pocket pond poppy potato prism pumpkin quartz quilt rabbit radish rain raven \
    ribbon river robin rocket rose saddle saffron sail salmon sand sandal scarf shell shovel \
    silver spoon stone swan table teapot tiger tulip turtle velvet violin walnut
    """.split(separator: " ")

  static func random(wordCount: Int = 6) -> String {
    (0..<wordCount).map { _ in words.randomElement() ?? "acorn" }.joined(separator: " ")
  }
}

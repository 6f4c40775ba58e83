"""A slow, plain-Python second opinion on the rules of Masons.

Written from the rules alone, to be read next to them, and sharing no code with the engine: what
the engine does fast is checked against what this package does obviously. Everything is counted
from scratch from sets, dicts and lists each time; nothing is packed, cached or clever.

    material   the pieces, the dice and the 30 cards (rules, sections 1 and 6)
    board      a board read from its description (rules, section 2)
    classic    the description of the default board, built by its numbering rules
    position   the pieces on the board: cities, clearing, merging, palaces (section 4)
    cards      what each card scores (section 6)
    moves      every distinct legal move of every decision (section 8)
    fields     the shape of a game record, before any rule is looked at
    replay     a record played through, every event held against the rules
    check      the questions the tests ask
"""

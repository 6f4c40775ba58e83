"""Verify the dice and cards of fair games (docs/fair.md): python verify_fair.py RECORDS."""

import fileinput, hmac, json, sys
from hashlib import sha256
from itertools import chain, count, pairwise, repeat


def chance(key, purpose, sizes):  # returns for each n in sizes a uniform number below n
    texts = (f"masons-fair 1 {purpose} {block}".encode() for block in count())
    stream = chain.from_iterable(hmac.digest(key, text, "sha256") for text in texts)
    return [next(byte % n for byte in stream if byte < 256 - 256 % n) for n in sizes]


def shuffled(cards, key, purpose):
    cards = sorted(cards)
    return [cards.pop(place) for place in chance(key, purpose, range(len(cards), 0, -1))]


def compared(game, fair, seats, pile, decks, rolls):  # yields (name, recorded, correct value)
    said = " ".join(["nonces", *(sha256(nonce.encode()).hexdigest() for nonce in fair["nonces"])])
    key = hmac.digest(bytes.fromhex(fair["secret"]), f"masons-fair 1 {said}".encode(), "sha256")
    hashed = sha256(f"masons-fair 1 secret {fair['secret']}".encode()).hexdigest()
    deck = [*chain(*game["hands"], game["deck"])]
    first = chance(key, "first 0", [seats])[0] if fair["draws_first"] else game["first"]
    recorded = [fair["version"], fair["commitment"], game["first"], len(fair["nonces"]), len(deck)]
    yield "version, commitment, first seat, seats, cards", recorded, [1, hashed, first, seats, 60]
    yield from zip(repeat("the deal"), deck, shuffled(2 * [*set(deck)], key, "deal 0"))
    deck, faces = deck[6 * seats :], "white gray black red rose yellow green blue ?".split()
    for event, after in pairwise([*game["events"], {}]):
        if event["e"] == "roll":
            tower, *dice = chance(key, f"roll {(rolls := rolls + 1)}", [3, 6, 6])
            rolled = after["e"] == "towers" if after else event["tower"]
            dice = [faces[tower] if rolled else None, *(faces[3 + die] for die in dice)]
            yield f"roll {rolls}", [event["tower"], *event["houses"]], dice
        pile += event.get("cards", event.get("out", [event["card"]] if "card" in event else []))
        for card in [None, *event.get("drew", event.get("in", []))]:
            if card:
                yield "a card drawn", card, deck.pop(0)
            if pile and not deck and event["e"] != "final":
                decks.append(shuffled(pile, key, f"reshuffle {len(decks) + 1}"))
                deck, pile = decks[-1][:], []
    yield "reshuffles", [e["deck"] for e in game["events"] if e["e"] == "reshuffle"], decks


for number, line in enumerate(fileinput.input(encoding="utf-8"), 1):
    if not (game := json.loads(line)).get("fair", {}).get("secret"):
        sys.exit(f"line {number}: not played with --fair, or not to its end: nothing to verify")
    for what, recorded, right in compared(game, game["fair"], game["players"], [], [], 0):
        if recorded != right:
            sys.exit(f"line {number}: {what}: {recorded}, but must be {right}")
    print(f"line {number}: right, commitment {game['fair']['commitment']}")

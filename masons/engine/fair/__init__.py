"""Provably fair chance, as specified in `docs/fair.md`.

| file | content |
| --- | --- |
| `fair_game.py` | the scheme: secret, nonces, and the dice and cards that follow from them |
| `fair_check.py` | verification of a played game |
"""

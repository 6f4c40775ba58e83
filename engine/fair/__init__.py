"""Provably fair chance: dice and cards from a secret committed to before, and the seats' nonces.

`docs/fair.md` is the specification. From the bottom up:

| file | what it holds |
| --- | --- |
| `fair_scheme.py` | the scheme itself: commitment, key, uniform draws |
| `fair_terms.py` | what records and games' files hold: commitment, nonces, in the end the secret |
| `fair_luck.py` | a fair game begun, its chance, its record |
| `kept_secrets.py` | where the secret of a game that goes on is kept |
| `fair_check.py` | a record verified against its secret and nonces |
"""

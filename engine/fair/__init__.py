"""Provably fair chance, as specified in `docs/fair.md`."""

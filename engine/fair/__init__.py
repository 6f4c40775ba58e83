"""Provably fair chance; `docs/fair.md` is the specification."""

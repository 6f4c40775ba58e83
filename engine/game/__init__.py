"""Games as Python objects: `Game`, sources of chance, views, records and their replay."""

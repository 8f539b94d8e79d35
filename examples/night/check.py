"""The tests of the house: python3 check.py [ROOM]. All doors are whole, the house bears its load, and the room is furnished."""

import pathlib
import sys

house = pathlib.Path(__file__).parent
for door in house.glob("doors/*.txt"):
    text = door.read_text()
    assert text == "closed\n" or all(line.startswith("opened by ") for line in text.splitlines()), door
load = sum(int(file.read_text()) for file in house.glob("loads/*.txt"))
assert load <= 100, f"the house bears 100, not {load}"
for room in sys.argv[1:]:
    assert (house / "rooms" / f"{room}.txt").read_text() == f"furnished by {room}\n", room

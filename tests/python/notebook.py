"""Runs the blocks of a page one after the other, and compares what they print: notebook.py PAGE.md"""
import contextlib
import io
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
names: dict = {}
wrong = 0
found = re.findall(r"^```python\n(.*?)^```\n(?:\n^```\n(.*?)^```\n)?", page, re.M | re.S)
for code, shown in found:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, names)
    if said.getvalue() != shown:
        wrong += 1
        print(f"this block:\n{code}\nprints\n{said.getvalue()}\nand not\n{shown}")
print(f"{len(found)} blocks")
sys.exit(wrong > 0 or not found)

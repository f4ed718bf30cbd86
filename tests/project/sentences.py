"""Sentences of Markdown pages: sentences.py [--long WORDS] PAGE...

Prints the median length and every sentence longer than WORDS (40), and fails if there is one or if
the median is over 18. Code blocks, tables, headings and what a page says is made by the program do
not count; a formula or a piece of code within a sentence is one word.
"""

import re
import statistics
import sys

MEDIAN = 18


def prose(text):
    """Paragraphs and list items of a page, each on one line."""
    text = re.split(r"<!-- From here on the page is made", text)[0]
    text = re.sub(r"^ *```.*?^ *```", "\n", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "\n", text, flags=re.S)
    text = re.sub(r"^ *(\||#|> *\|).*$", "\n", text, flags=re.M)
    text = re.sub(r"^ *([-*]|\d+\.) ", "\n", text, flags=re.M)
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text):
        if not re.match(r" {4}", paragraph):  # formulas are indented
            yield " ".join(paragraph.split())


def sentences(paragraph):
    """A sentence ends with . ! or ? before a space and a capital, a digit, code or a link."""
    paragraph = re.sub(r"!\[[^]]*\]\([^)]*\)", " ", paragraph)  # pictures
    paragraph = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", paragraph)  # links: their text
    paragraph = re.sub(r"`[^`]*`", "Code", paragraph)
    paragraph = re.sub(r"\b(e\.g|i\.e|cf|eq|al|vs|no|fig)\. ", r"\1 ", paragraph)
    return re.split(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*\[]*[A-Z0-9])", paragraph)


def words(sentence):
    return len([w for w in sentence.split() if re.search(r"\w", w)])


def main():
    arguments = sys.argv[1:]
    limit = 40
    if arguments[0] == "--long":
        limit, arguments = int(arguments[1]), arguments[2:]
    lengths, failed = [], False
    for page in arguments:
        with open(page, encoding="utf-8") as f:
            text = f.read()
        here = []
        for sentence in (s for p in prose(text) for s in sentences(p)):
            n = words(sentence)
            if n > 0:
                here.append(n)
            if n > limit:
                failed = True
                print(f"{page}: {n} words: {sentence}")
        lengths += here
        print(f"{page}: {len(here)} sentences, median {statistics.median(here):g}, longest {max(here)}")
    median = statistics.median(lengths)
    print(f"all: {len(lengths)} sentences, median {median:g} words, longest {max(lengths)}")
    sys.exit(failed or median > MEDIAN)


main()

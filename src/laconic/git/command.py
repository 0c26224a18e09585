"""A command of git by its words: its subcommand, its options and what is none of them."""

from __future__ import annotations


class GitCommand:
    """words: those behind the subcommand. directory: where it works."""

    def __init__(self, sub: str, words: list[str], directory: str) -> None:
        self.sub, self.words, self.directory = sub, words, directory

    def has(self, *names: str) -> bool:
        """Tell whether one of these options is there, also abbreviated, or bundled like -fdx."""
        for word in self.words:
            if word == "--":
                return False
            if any(_is_option(word, name) for name in names):
                return True
        return False

    @property
    def operands(self) -> list[str]:
        """Return the words that are not options, and values of options that look like words."""
        words = []
        for word in self.words:
            if word.startswith("--") and "=" in word:
                words.append(word.partition("=")[2])
            elif not word.startswith("-") or word == "-":
                words.append(word)
        return words


def _is_option(word: str, name: str) -> bool:
    if name.startswith("--"):
        given = word.partition("=")[0]
        return len(given) > 2 and name.startswith(given)  # noqa: PLR2004 - more than the dashes
    return word[:1] == "-" and word[:2] != "--" and name[1] in word[1:]

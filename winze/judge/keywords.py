"""The user's keyword expression, judged on the text outside links (P1, 3.2.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from winze.text.words import fold

#: Opening quotes of a phrase and the quote that closes it.
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』"}

#: A word runs up to a blank, an operator, a parenthesis or a quote; a single & or | belongs to it.
_TOKEN = re.compile(
    r"""\s*(?: (?P<operator>&&|\|\||[!()]) | (?P<quote>["“「『])
    | (?P<word>(?:(?!&&|\|\|)[^\s()"“「『])+) )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase that must stand in the text; folded."""

    text: str

    def holds(self, folded: str) -> bool:
        """Does the folded text contain the word? Part of a longer word counts (P1)."""
        return self.text in folded

    def words(self) -> Iterator[str]:
        """Yield the words that speak for a page."""
        yield self.text


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where its operand does not."""

    operand: Term

    def holds(self, folded: str) -> bool:
        """Is the operand false of the folded text?"""
        return not self.operand.holds(folded)

    def words(self) -> Iterator[str]:
        """Yield nothing: a negated word speaks against a page."""
        yield from ()


@dataclass(frozen=True, slots=True)
class And:
    """Holds where all its operands do."""

    operands: tuple[Term, ...]

    def holds(self, folded: str) -> bool:
        """Are all operands true of the folded text?"""
        return all(operand.holds(folded) for operand in self.operands)

    def words(self) -> Iterator[str]:
        """Yield the operands' words in order."""
        for operand in self.operands:
            yield from operand.words()


@dataclass(frozen=True, slots=True)
class Or:
    """Holds where one of its operands does."""

    operands: tuple[Term, ...]

    def holds(self, folded: str) -> bool:
        """Is one operand true of the folded text?"""
        return any(operand.holds(folded) for operand in self.operands)

    def words(self) -> Iterator[str]:
        """Yield the operands' words in order."""
        for operand in self.operands:
            yield from operand.words()


Term = Word | Not | And | Or


@dataclass(frozen=True, slots=True)
class Expression:
    """A keyword expression that was understood."""

    #: As the user wrote it.
    source: str
    root: Term

    def holds(self, text: str) -> bool:
        """Is the expression true of this text? Width, case and white space do not matter.

        >>> parse("成都 && (川菜 || 火锅) && !酒店").holds("成都老火锅，营业中")
        True
        """
        return self.root.holds(fold(text))

    def words(self) -> tuple[str, ...]:
        """Return the folded words that speak for a page, each once, in order.

        >>> parse('redis && !"data base"').words()
        ('redis',)
        """
        return tuple(dict.fromkeys(self.root.words()))


def parse(text: str) -> Expression:
    """Read an expression of words, "quoted phrases", `&&`, `||`, `!` and parentheses.

    `!` binds closest, then `&&`, then `||`. Full-width operators count as the plain ones.
    Raises ValueError with what is wrong and where.

    >>> parse("成都&&")
    Traceback (most recent call last):
    ValueError: '&&' needs a word on its right: '成都&&'
    """
    tokens = _tokens(text)
    if not tokens:
        raise ValueError("the expression is empty: write a word, or leave it out")
    reader = _Reader(text, tokens)
    root = reader.alternatives()
    if reader.here is not None:
        raise ValueError(reader.left_over())
    return Expression(text, root)


def parse_all(texts: Sequence[str]) -> Expression | None:
    """Read a list of expressions that must all hold; None when there is none.

    >>> parse_all(["日本", "动画||剧情"]).source
    '(日本) && (动画||剧情)'
    """
    if not texts:
        return None
    expressions = [parse(text) for text in texts]
    if len(expressions) == 1:
        return expressions[0]
    source = " && ".join(f"({expression.source})" for expression in expressions)
    return Expression(source, And(tuple(expression.root for expression in expressions)))


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    is_word: bool


def _tokens(text: str) -> list[_Token]:
    """Cut an expression into operators and words."""
    plain = unicodedata.normalize("NFKC", text)
    tokens: list[_Token] = []
    position = 0
    while found := _TOKEN.match(plain, position):
        position = found.end()
        if found["quote"]:
            end = plain.find(_QUOTES[found["quote"]], position)
            if end < 0:
                raise ValueError(f"the quote {found['quote']} is never closed: {text!r}")
            tokens.append(_Token(_word(plain[position:end], text), is_word=True))
            position = end + 1
        elif found["word"]:
            tokens.append(_Token(_word(found["word"], text), is_word=True))
        else:
            tokens.append(_Token(found["operator"], is_word=False))
    return tokens


def _word(text: str, source: str) -> str:
    folded = fold(text)
    if not folded:
        raise ValueError(f"an empty phrase stands on every page, take it out: {source!r}")
    return folded


class _Reader:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, source: str, tokens: list[_Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.position = 0

    @property
    def here(self) -> _Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def takes(self, operator: str) -> bool:
        """Step over this operator if it comes next."""
        token = self.here
        if token is None or token.is_word or token.text != operator:
            return False
        self.position += 1
        return True

    def alternatives(self) -> Term:
        operands = [self.conjunction()]
        while self.takes("||"):
            operands.append(self.conjunction())
        return operands[0] if len(operands) == 1 else Or(tuple(operands))

    def conjunction(self) -> Term:
        operands = [self.operand()]
        while self.takes("&&"):
            operands.append(self.operand())
        return operands[0] if len(operands) == 1 else And(tuple(operands))

    def operand(self) -> Term:
        if self.takes("!"):
            return Not(self.operand())
        if self.takes("("):
            inner = self.alternatives()
            if not self.takes(")"):
                raise ValueError(self.left_over() if self.here else self.unclosed())
            return inner
        token = self.here
        if token is None or not token.is_word:
            raise ValueError(self.missing())
        self.position += 1
        return Word(token.text)

    def missing(self) -> str:
        """Say which operator lacks its word, on which side."""
        token = self.here
        if self.position:
            before = self.tokens[self.position - 1].text
            if before == "(" and token is not None and token.text == ")":
                return f"nothing stands between the parentheses: {self.source!r}"
            return f"{before!r} needs a word on its right: {self.source!r}"
        text = token.text if token else ""
        if text == ")":
            return f"')' closes nothing, take it out: {self.source!r}"
        return f"{text!r} needs a word on its left: {self.source!r}"

    def left_over(self) -> str:
        """Say why the expression does not go on at this token."""
        token = self.here
        assert token is not None
        if token.text == ")" and not token.is_word:
            return f"')' closes nothing, take it out: {self.source!r}"
        before = self.tokens[self.position - 1].text
        return (
            f"write && or || between {before!r} and {token.text!r}, "
            f"or put a phrase in quotes: {self.source!r}"
        )

    def unclosed(self) -> str:
        return f"'(' is never closed, put ')' at the end: {self.source!r}"

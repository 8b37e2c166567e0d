"""D2, D5: pages whose labels lie, are missing or stand late, and links in the page's charset."""

import codecs
from dataclasses import dataclass

import pytest

from tests.hard.server import Answer, links, of_pages

SIMPLIFIED = "成都川菜馆的回锅肉与麻婆豆腐，价格公道，欢迎光临本店品尝。"
TRADITIONAL = "臺北市的牛肉麵與珍珠奶茶，歡迎光臨本店，價格公道，營業時間至深夜。"
JAPANESE = "東京のラーメン屋はとても美味しいので、また行きたいと思います。"
#: In GBK, not in GB2312.
GBK_ONLY = "朱镕基谈堃記的喆與瀞，繁體字也在其中，價格公道。"
#: Needs four bytes in GB18030.
RARE = "生僻字𠮷与㐂在人名里，㵘、𤭢也是，户口簿上都有。"


@dataclass(frozen=True)
class Case:
    text: str
    encoding: str
    header: str = "text/html"
    meta: str = ""
    #: Bytes of comment before the meta element.
    late: int = 0
    bom: bytes = b""

    def answer(self) -> Answer:
        meta = f"<meta charset='{self.meta}'>" if self.meta else ""
        comment = f"<!--{'x' * self.late}-->" if self.late else ""
        html = (
            f"<!DOCTYPE html><html><head>{comment}{meta}<title>t</title></head>"
            f"<body><main class=item><h1>{self.text}</h1><p class=text>{self.text * 3}</p></main>"
        )
        return Answer(self.bom + html.encode(self.encoding), content_type=self.header)


CASES = {
    "undeclared-gbk": Case(SIMPLIFIED, "gbk"),
    "undeclared-big5": Case(TRADITIONAL, "big5"),
    "undeclared-shift-jis": Case(JAPANESE, "shift_jis"),
    "undeclared-euc-jp": Case(JAPANESE, "euc_jp"),
    "gb2312-with-gbk-characters": Case(GBK_ONLY, "gbk", meta="gb2312"),
    "gbk-with-four-byte-gb18030": Case(RARE, "gb18030", meta="gbk"),
    "header-utf-8-meta-and-bytes-gbk": Case(
        SIMPLIFIED, "gbk", header="text/html; charset=utf-8", meta="gbk"
    ),
    "header-latin-1-meta-gbk": Case(
        SIMPLIFIED, "gbk", header="text/html; charset=iso-8859-1", meta="gbk"
    ),
    "meta-beyond-5000-bytes": Case(SIMPLIFIED, "gbk", meta="gbk", late=6000),
    "meta-gbk-bytes-utf-8": Case(SIMPLIFIED, "utf-8", meta="gbk"),
    "utf-16-le-bom": Case(SIMPLIFIED, "utf-16-le", bom=codecs.BOM_UTF16_LE),
    "utf-16-be-bom": Case(SIMPLIFIED, "utf-16-be", bom=codecs.BOM_UTF16_BE),
}


def test_d2_text_is_right_in_all_twelve_encodings(served, capfd):
    """D2: twelve pages whose labels lie, are missing or stand late: the text is right in all.

    Peers got 9 of 12 right, and 2 of 12.
    """
    pages = {f"/item/{name}": case.answer() for name, case in CASES.items()}
    with served(of_pages({"/": links(*pages), **pages})) as (_, site):
        result = site.crawl(capfd)
    assert result.code == 0, result.err
    found = {row["url"].rpartition("/")[2]: row["title"] for row in site.records()}
    assert len(found) == 12
    assert found == {name: case.text for name, case in CASES.items()}


@pytest.mark.parametrize(
    ("declared", "encoding", "query"),
    [
        ("gbk", "gbk", "%B4%A8%B2%CB"),
        ("gb2312", "gbk", "%B4%A8%B2%CB"),
        ("big5", "big5", "%A4t%B5%E6"),
    ],
)
def test_d5_links_are_written_as_browsers_write_them(declared, encoding, query, served, capfd):
    """D5: in a GBK page's links the query goes out in GBK bytes, the path in UTF-8.

    Right in one peer only; the others asked for the query in UTF-8.
    """
    word, path = "川菜", "/路径/p"
    html = (
        f"<!DOCTYPE html><meta charset={declared}><title>{word}</title>"
        f"<a href='/s?q={word}'>{word}</a> <a href='{path}'>p</a> {word * 20}"
    )
    pages = {"/": Answer(html.encode(encoding, "xmlcharrefreplace"), content_type="text/html")}
    with served(of_pages(pages)) as (server, site):
        site.crawl(capfd)
    assert sorted(server.asked()) == ["/", "/%E8%B7%AF%E5%BE%84/p", f"/s?q={query}"]

"""What a seed changes in a shop's looks, so that nothing can be fitted to one of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

#: Words of the shop's frame: synonyms in Chinese and in English.
_LABELS: Mapping[str, tuple[str, str]] = {
    "home": ("首页|主页", "Home|Start"),
    "all": ("全部商品|所有宝贝", "All goods|Everything"),
    "market": ("跳蚤市场|个人转让", "Flea market|Private sales"),
    "help": ("帮助中心|常见问题", "Help|Questions"),
    "news": ("新闻|公告", "News|Journal"),
    "guide": ("选购指南|买家手册", "Buying guide|Reader"),
    "login": ("登录|用户登录", "Sign in|Log in"),
    "calendar": ("活动日历|日程", "Calendar|Events"),
    "promotion": ("优惠|促销", "Offers|Deals"),
    "cart": ("加入购物车|放入购物篮", "Add to cart|Add to basket"),
    "price": ("价格|售价|现价", "Price|Our price|Now"),
    "sku": ("货号|商品编号|编号", "SKU|Item no|Ref"),
    "brand": ("品牌|厂牌|商标", "Brand|Make|Manufacturer"),
    "category": ("分类|类别", "Category|Department"),
    "stock": ("库存|供货", "Availability|Stock"),
    "in stock": ("有货|现货", "In stock|Ready to ship"),
    "sold out": ("缺货|售罄", "Sold out|Out of stock"),
    "description": ("商品描述|商品介绍|详情", "Description|About this item|Details"),
    "specs": ("规格参数|参数", "Specifications|Technical data"),
    "delivery": ("配送说明|运费与发货", "Delivery|Shipping"),
    "reviews": ("用户评价|评论", "Reviews|What buyers say"),
    "no reviews": ("暂无评价", "No reviews yet|Be the first"),
    "reply": ("店家回复", "The shop answers|Our reply"),
    "related": ("相关商品|看了又看|猜你喜欢", "Related products|You may also like"),
    "best": ("热销排行|本周热卖", "Best sellers|Popular now"),
    "previous": ("上一页|往前", "Previous|Back"),
    "next": ("下一页|往后", "Next|More"),
    "sort": ("排序", "Sort by|Order"),
    "cheap": ("价格从低到高", "Lowest price"),
    "dear": ("价格从高到低", "Highest price"),
    "newest": ("最新上架", "Newest"),
    "nothing": ("没有找到您要的页面", "Sorry, that page is no longer here"),
    "about": ("关于我们", "About us|Who we are"),
}

#: Parts of a page that carry a class.
_ROLES = (
    "page top menu main side crumbs title price was meta stock promises gallery specs description"
    " reviews review author date stars text reply related card name cost best foot pager facets"
    " grid article form banner block"
)

_UTILITIES = (
    "flex grid p-2 p-4 px-3 mt-2 mt-4 mb-1 text-sm text-lg text-xl font-bold font-light rounded"
    " border shadow bg-white w-full leading-6 tracking-wide gap-2 gap-4 items-center truncate"
)


def _token(rng: random.Random, length: int) -> str:
    return "".join(rng.choices("abcdefghijkmnpqrstuvwxyz23456789", k=length))


def _plain(role: str, rng: random.Random) -> str:
    return role


def _abbreviated(role: str, rng: random.Random) -> str:
    return role[0] + "".join(c for c in role[1:] if c not in "aeiou") + str(rng.randint(1, 9))


def _hashed(role: str, rng: random.Random) -> str:
    return f"{role}_{_token(rng, 5)}"


def _opaque(role: str, rng: random.Random) -> str:
    return f"css-{_token(rng, 6)}"


def _utilities(role: str, rng: random.Random) -> str:
    return " ".join(rng.sample(_UTILITIES.split(), 3))


#: How sites name their classes: by hand, by modules, by a compiler, by utility frameworks.
_NAMINGS: tuple[Callable[[str, random.Random], str], ...] = (
    _plain,
    _abbreviated,
    _hashed,
    _opaque,
    _utilities,
)


@dataclass(frozen=True, slots=True)
class Keywords:
    """The words that tell wanted products from off-topic items, on the text outside links."""

    #: The expression for the plan.
    expression: str
    #: A wanted product's text holds one of these; an off-topic item has them in links only.
    wanted: tuple[str, ...]
    #: Every item's text holds this.
    shared: str
    #: An off-topic item's text holds this; a wanted product may have it in links only.
    unwanted: str


@dataclass(frozen=True, slots=True)
class Theme:
    """How one shop looks and speaks."""

    name: str
    #: Language attribute of its pages.
    language: Literal["zh", "en"]
    labels: Mapping[str, str]
    #: Class attribute of each role.
    css: Mapping[str, str]
    #: str.format pattern of an amount.
    price: str
    keywords: Keywords
    specs: Literal["table", "list", "terms"]
    reviews: Literal["list", "cards", "articles"]
    price_markup: Literal["plain", "labelled", "inline"]
    #: Where SKU and brand stand: one text, spans of their own, or rows of the specifications.
    meta: Literal["piped", "spans", "rows"]
    sidebar: Literal["left", "right"]
    structured: Literal["json-ld", "microdata", "opengraph", "none"]
    #: Order of the sections below the price.
    sections: tuple[str, ...]
    #: Elements around the product that say nothing.
    wrappers: int
    colour: str


def make_theme(seed: int) -> Theme:
    """Return the looks of a seed's shop.

    >>> make_theme(1) == make_theme(1), make_theme(1) == make_theme(2)
    (True, False)
    """
    rng = random.Random(f"theme {seed}")
    speech = rng.choice(("zh", "en", "both"))
    sections = ["description", "specs", "reviews"]
    rng.shuffle(sections)
    return Theme(
        name=rng.choice(("Kestrel", "Lantern", "Mulberry", "Tidewater", "Copperleaf"))
        + rng.choice((" Market", " 商城", " Trading", " 百货")),
        language="en" if speech == "en" else "zh",
        labels=_labels(rng, speech),
        css=_classes(rng),
        price=rng.choice(("¥{:,.2f}", "￥{:.2f}", "{:.2f} 元", "${:,.2f}", "€{:.2f}", "£{:,.2f}")),
        keywords=_keywords(rng, speech),
        specs=rng.choice(("table", "list", "terms")),
        reviews=rng.choice(("list", "cards", "articles")),
        price_markup=rng.choice(("plain", "labelled", "inline")),
        meta=rng.choice(("piped", "spans", "rows")),
        sidebar=rng.choice(("left", "right")),
        structured=rng.choice(("json-ld", "microdata", "opengraph", "none")),
        sections=tuple(sections),
        wrappers=rng.randint(0, 2),
        colour=rng.choice(("#7a2e2e", "#1f5f5b", "#38447a", "#5b4a1f", "#6b2f63")),
    )


def _labels(rng: random.Random, speech: str) -> dict[str, str]:
    labels = {}
    for role, (chinese, english) in _LABELS.items():
        zh, en = rng.choice(chinese.split("|")), rng.choice(english.split("|"))
        labels[role] = {"zh": zh, "en": en, "both": f"{zh} {en}"}[speech]
    return labels


def _classes(rng: random.Random) -> dict[str, str]:
    naming = rng.choice(_NAMINGS)
    prefix = rng.choice(("", "", "x-", "shop-", "pd_"))
    css = {role: naming(role, rng) for role in _ROLES.split()}
    if naming in (_plain, _abbreviated):
        css = {role: prefix + name for role, name in css.items()}
    if rng.random() < 0.5:  # one style sheet for every amount: only the place tells them apart
        css["cost"] = css["price"]
    return css


def _keywords(rng: random.Random, speech: str) -> Keywords:
    english = speech == "en"
    first, second = rng.sample(
        ("guaranteed", "authorised", "certified", "insured")
        if english
        else ("官方联保", "正品授权", "厂家直保", "原厂质保"),
        2,
    )
    shared = rng.choice(("returnable", "giftwrapped") if english else ("七天退换", "送货上门"))
    unwanted = rng.choice(("preowned", "secondhand") if english else ("二手", "九成新"))
    expression, wanted = rng.choice(
        (
            (first, (first,)),
            (f"{first} && {shared}", (first,)),
            (f"{first} || {second}", (first, second)),
            (f"{shared} && !{unwanted}", (first,)),
        )
    )
    return Keywords(expression, wanted, shared, unwanted)

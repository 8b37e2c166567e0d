"""The shop's vocabulary: what is sold, by whom, and what buyers say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Language = Literal["zh", "en"]


class Term(NamedTuple):
    """A word and how it is spelt in a URL."""

    text: str
    slug: str


def _terms(words: str) -> tuple[Term, ...]:
    """Read "text=slug | text"; without a slug the text in lower case is its own.

    >>> _terms("木马=muma | Wooden Horse")
    (Term(text='木马', slug='muma'), Term(text='Wooden Horse', slug='wooden-horse'))
    """
    pairs = (word.strip().partition("=") for word in words.split("|"))
    return tuple(Term(text, slug or text.lower().replace(" ", "-")) for text, _, slug in pairs)


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of goods, named in its own language."""

    number: int
    name: str
    slug: str
    language: Language
    nouns: tuple[Term, ...]
    #: Row label of the specification table, and the values it may have.
    specs: tuple[tuple[str, tuple[str, ...]], ...]


_SHELVES: tuple[tuple[Language, str, str, str], ...] = (
    (
        "zh",
        "厨房电器=chufang",
        "电热水壶=dianreshuihu | 电饭煲=dianfanbao | 榨汁机=zhazhiji | 空气炸锅=kongqizhaguo",
        "功率:800W,1200W,1800W/容量:1.5L,3L,5L/颜色:象牙白,石墨黑,樱花粉/电源:220V,110V",
    ),
    (
        "zh",
        "茶叶=chaye",
        "龙井绿茶=longjing | 铁观音=tieguanyin | 普洱茶饼=puer | 茉莉花茶=molihua",
        "产地:杭州,安溪,勐海,福州/净含量:100克,250克,500克/等级:特级,一级,二级/包装:罐装,袋装,礼盒",
    ),
    (
        "zh",
        "文具=wenju",
        "钢笔=gangbi | 活页本=huoyeben | 文件夹=wenjianjia | 台灯=taideng",
        "材质:黄铜,树脂,铝合金/尺寸:A4,A5,B5/颜色:墨绿,酒红,藏青/产地:上海,温州,义乌",
    ),
    (
        "zh",
        "家纺=jiafang",
        "四件套=sijiantao | 蚕丝被=cansibei | 记忆枕=jiyizhen | 浴巾=yujin",
        "面料:纯棉,天丝,亚麻/尺寸:1.5米床,1.8米床,2米床/颜色:雾蓝,米黄,浅灰/支数:40支,60支,80支",
    ),
    (
        "zh",
        "户外=huwai",
        "帐篷=zhangpeng | 登山包=dengshanbao | 睡袋=shuidai | 折叠椅=zhedieyi",
        "重量:0.9kg,1.6kg,2.4kg/适用人数:1人,2人,4人/颜色:橙色,军绿,湖蓝/防水:2000mm,3000mm,5000mm",
    ),
    (
        "zh",
        "瓷器=ciqi",
        "茶壶=chahu | 花瓶=huaping | 盖碗=gaiwan | 餐盘=canpan",
        "窑口:景德镇,德化,龙泉/工艺:手绘,青花,粉彩/高度:9cm,16cm,28cm/釉色:天青,月白,豆绿",
    ),
    (
        "zh",
        "玩具=wanju",
        "积木=jimu | 拼图=pintu | 遥控车=yaokongche | 毛绒熊=maorongxiong",
        "适用年龄:3岁以上,6岁以上,12岁以上/材质:榉木,塑料,短毛绒/件数:24件,100件,500件/电池:无,5号,7号",
    ),
    (
        "en",
        "Audio=audio",
        "Headphones | Turntable | Bookshelf Speaker | Field Recorder",
        "Impedance:16 ohm,32 ohm,80 ohm/Weight:180 g,260 g,3.4 kg"
        "/Colour:Graphite,Walnut,Ivory/Cable:1.2 m,2 m,none",
    ),
    (
        "en",
        "Garden Tools=garden",
        "Pruning Saw | Watering Can | Hand Fork | Hose Reel",
        "Material:Carbon steel,Ash wood,Zinc/Length:28 cm,45 cm,90 cm"
        "/Weight:0.4 kg,1.1 kg,2.7 kg/Finish:Lacquered,Raw,Painted",
    ),
    (
        "en",
        "Bicycles=bicycles",
        "Touring Saddle | Chainset | Pannier | Floor Pump",
        "Weight:310 g,540 g,1.2 kg/Colour:Black,Silver,Honey"
        "/Fits:Road,Gravel,Trekking/Material:Leather,Alloy,Canvas",
    ),
    (
        "en",
        "Optics=optics",
        "Binoculars | Spotting Scope | Magnifier | Star Finder",
        "Magnification:8x,10x,20x/Aperture:25 mm,42 mm,60 mm"
        "/Coating:Multi,Full/Field of view:96 m,114 m,130 m",
    ),
    (
        "en",
        "Kitchen Knives=knives",
        "Paring Knife | Bread Knife | Cleaver | Whetstone",
        "Blade:9 cm,17 cm,24 cm/Steel:VG-10,Carbon,Stainless"
        "/Handle:Walnut,Olive,Resin/Hardness:56 HRC,60 HRC,62 HRC",
    ),
    (
        "en",
        "Knitwear=knitwear",
        "Fisherman Sweater | Merino Scarf | Wool Socks | Cardigan",
        "Size:S,M,L,XL/Yarn:Merino,Alpaca,Lambswool/Colour:Oatmeal,Navy,Moss/Origin:Shetland,Porto",
    ),
    (
        "en",
        "Board Games=games",
        "Chess Set | Domino Box | Dice Tower | Tile Game",
        "Players:1-2,2-4,3-6/Age:6+,10+,14+/Minutes:20,45,90/Pieces:28,32,108",
    ),
)


def _specs(rows: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    split = (row.partition(":") for row in rows.split("/"))
    return tuple((label, tuple(values.split(","))) for label, _, values in split)


#: All kinds of goods; a shop sells ten of them, five in each language.
CATEGORIES: tuple[Category, ...] = tuple(
    Category(100 + 7 * place, *_terms(name)[0], language, _terms(nouns), _specs(specs))
    for place, (language, name, nouns, specs) in enumerate(_SHELVES)
)

BRANDS: dict[Language, tuple[Term, ...]] = {
    "zh": _terms(
        "云杉=yunshan | 海棠=haitang | 山石=shanshi | 青禾=qinghe | 北川=beichuan | 知竹=zhizhu"
        " | 万象=wanxiang | 远帆=yuanfan"
    ),
    "en": _terms(
        "Northfell | Harrow & Pike=harrow-pike | Calder | Blue Heron | Ostrava | Tern"
        " | Larkfield | Quill Works"
    ),
}

ADJECTIVES: dict[Language, tuple[Term, ...]] = {
    "zh": _terms(
        "便携=bianxie | 经典=jingdian | 静音=jingyin | 复古=fugu | 轻巧=qingqiao | 加厚=jiahou"
        " | 家用=jiayong | 精致=jingzhi | 简约=jianyue | 耐用=naiyong"
    ),
    "en": _terms(
        "Compact | Classic | Quiet | Heritage | Light | Sturdy | Folding | Fine | Plain | Everyday"
    ),
}

#: Sentences of a description; {noun} is the product's.
DESCRIPTIONS: dict[Language, tuple[str, ...]] = {
    "zh": (
        "这款{noun}由老师傅逐件检验,手感扎实,细节经得起细看。",
        "设计师把{noun}的结构减到最少,日常清洁只需一块湿布。",
        "无论放在小户型还是宽敞的客厅,它都不会显得突兀。",
        "原料来自长期合作的工厂,每一批都可以追溯到生产日期。",
        "包装采用可回收纸盒,送礼或自用都合适。",
        "{noun}在出厂前经过七十二小时测试,稳定可靠。",
        "说明书附有中文图示,第一次使用也能很快上手。",
        "与上一代相比,重量减轻了一成,噪声也更低。",
    ),
    "en": (
        "Each {noun} is checked by hand before it leaves us, and it shows in the details.",
        "The design keeps only what is needed; a damp cloth is all the care it asks for.",
        "It looks at home in a small flat as well as in a country house.",
        "The material comes from a mill we have worked with for years, and every batch is dated.",
        "Packed in a plain recyclable box, it makes a sensible present.",
        "We tested this {noun} for seventy-two hours in wind, dust and rain.",
        "A short manual with drawings is enclosed, so the first use takes a minute.",
        "Compared with the previous model it is a tenth lighter and noticeably calmer.",
    ),
}

#: A review is one of each: how it starts, what it tells, how it ends.
REVIEWS: dict[Language, tuple[tuple[str, ...], ...]] = {
    "zh": (
        (
            "用了三个星期,",
            "第二次购买,",
            "朋友推荐的,",
            "收到货很惊喜,",
            "说实话,",
            "给父母买的,",
            "等了五天才到,",
        ),
        (
            "{noun}做工比想象中好",
            "颜色和图片有一点差别",
            "{noun}尺寸刚刚好",
            "接口处有些松",
            "{noun}质感不错但偏重",
            "味道散得很快",
            "没有发现瑕疵",
        ),
        ("。会再来。", ",推荐。", ",一般般吧。", ",物有所值。", "!家人都喜欢。", ",客服回复也快。"),
    ),
    "en": (
        (
            "After three weeks: ",
            "Second one I buy, ",
            "A friend told me to, ",
            "Honestly, ",
            "A gift for my parents; ",
            "Arrived late, but ",
            "Well, ",
        ),
        (
            "the {noun} is better made than I thought",
            "the colour differs a little from the picture",
            "the size is just right",
            "the joint is somewhat loose",
            "this {noun} feels solid yet heavy",
            "the smell goes away quickly",
            "not a scratch to be found",
        ),
        (
            ". Would buy again.",
            ", recommended.",
            ", so-so.",
            "; worth the money.",
            "! Everyone likes it.",
            ", and support answers fast.",
        ),
    ),
}

#: What off-topic items are: their titles start with one of these.
OFFERS: dict[Language, tuple[Term, ...]] = {
    "zh": _terms("转让=zhuanrang | 闲置=xianzhi | 求购=qiugou | 拆机=chaiji"),
    "en": _terms("Swap | Spare | Wanted | Estate Sale"),
}

AUTHORS: dict[Language, tuple[str, ...]] = {
    "zh": ("小鱼儿", "老陈", "王**", "山里人", "匿名用户", "豆豆妈", "阿哲", "Q同学"),
    "en": ("M. Hale", "Ines", "toolbox77", "A. N. Other", "Priya", "old_jim", "K. Lund", "Sam"),
}

#: What every item page says about delivery.
DELIVERY: dict[Language, tuple[str, ...]] = {
    "zh": (
        "下单后四十八小时内发出,偏远地区顺延两天。",
        "大件商品由合作物流派送,请保持电话畅通,并当面检查外包装。",
        "发票随包裹寄出,如需抬头变更请在备注中写明。",
        "到付与自提请联系在线客服,门店地址见页面底部。",
    ),
    "en": (
        "Parcels leave within forty-eight hours; islands and mountains take two days more.",
        "Large goods come by carrier: keep your phone at hand and look at the box before signing.",
        "The invoice is in the parcel. Tell us in the order's note if it needs another name.",
        "For collection ask the service desk; the address of our store is below.",
    ),
}

HEADLINES: dict[Language, tuple[str, ...]] = {
    "zh": (
        "春季上新预告",
        "仓库搬迁通知",
        "如何挑选合适的礼物",
        "物流延误说明",
        "设计师访谈",
        "会员日安排",
    ),
    "en": (
        "What is new this spring",
        "Our warehouse is moving",
        "How to choose a present",
        "A note on late parcels",
        "Talking to a designer",
        "Plans for members' day",
    ),
}

ARTICLES: dict[Language, tuple[str, ...]] = {
    "zh": (
        "各位顾客好,感谢大家一直以来的支持,以下是最近的一些安排。",
        "我们在仓库增加了两条分拣线,大部分包裹可以当天发出。",
        "如果遇到雨雪天气,部分地区的配送会顺延一到两天,请您谅解。",
        "编辑部走访了三家工坊,记录下从选料到成型的全过程。",
        "有任何建议,欢迎写信告诉我们,每一封都会有人回复。",
        "活动期间客服在线时间延长到晚上十点。",
    ),
    "en": (
        "Dear customers, thank you for another good season; here is what happens next.",
        "Two more sorting lines in the warehouse mean that most parcels leave on the same day.",
        "In snow and heavy rain some regions will wait a day or two longer.",
        "Our editors visited three workshops and wrote down every step from timber to tool.",
        "Write to us with whatever you miss; a person answers each letter.",
        "During the event the phone is answered until ten in the evening.",
    ),
}

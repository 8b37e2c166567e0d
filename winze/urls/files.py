"""URLs that name files and not pages, told by their ending."""

from __future__ import annotations

import re

#: Pictures, sound, film, fonts, archives, programs, office files, scripts and style sheets.
_FILE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|og[gv]|wav|flac|avi|mov|mkv|webm"
    r"|flv|swf|woff2?|ttf|eot|otf|zip|rar|7z|t?gz|bz2|xz|tar|exe|msi|dmg|apk|iso|deb|rpm|jar"
    r"|pdf|docx?|xlsx?|pptx?|odt|ods|epub|mobi|css|m?js|json|map|torrent)$",
    re.IGNORECASE,
)


def is_file(url: str) -> bool:
    """Does the URL's path end as a file's that a crawl for pages leaves alone?

    >>> is_file("http://shop.example/a/cover.JPG?w=3"), is_file("http://shop.example/node.js/doc")
    (True, False)
    """
    return _FILE.search(url.partition("#")[0].partition("?")[0]) is not None

"""Parameters that say who is reading or from where he came, not which page is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

#: Set by campaigns, advertisers and share buttons; the page is the same without them.
#: From the lists of ClearURLs and Adblock's URL tracking filter, Chinese portals added.
TRACKING = frozenset(
    {
        *("gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid"),
        *("ttclid", "igshid", "igsh", "li_fat_id", "srsltid", "epik", "mc_cid", "mc_eid", "_ga"),
        *("_gl", "_hsenc", "_hsmi", "__hstc", "__hssc", "__hsfp", "hsctatracking", "mkt_tok"),
        *("_openstat", "vero_id", "vero_conv", "wickedid", "oly_enc_id", "oly_anon_id"),
        *("rb_clickid", "s_cid", "cmpid", "icid", "_branch_match_id", "spm", "scm"),
        *("bd_vid", "hmsr", "hmpl", "hmcu", "hmkw", "hmci", "share_source", "share_medium"),
        *("share_plat", "share_tag", "share_session_id", "share_token", "vd_source"),
        *("spm_id_from", "unique_k"),
    }
)

#: Families of campaign parameters (Google, Matomo, Piwik, HubSpot); a prefix as short as pk_ would
#: take primary keys, too.
TRACKING_PREFIXES = ("utm_", "mtm_", "pk_campaign", "pk_kwd", "piwik_", "hsa_")

#: Session ids of common servers and shops; what they hold is never part of the page.
SESSIONS = frozenset(
    {
        *("phpsessid", "jsessionid", "sessid", "aspsessionid"),
        *("asp.net_sessionid", "cfid", "cftoken", "oscsid", "zenid", "xtcsid"),
    }
)

#: Also used for shops, stories, talks: dropped only where the value looks drawn by lot.
DOUBTFUL_SESSIONS = frozenset({"sid", "s", "session", "sess", "sessionid", "session_id"})

_DROPPED = TRACKING | SESSIONS

#: ASP puts letters of its own behind the name.
_DROPPED_PREFIXES = (*TRACKING_PREFIXES, "aspsessionid")

_DROP, _DOUBT, _KEEP = "drop", "doubt", "keep"

_TOKEN = re.compile(r"(?=[^&]*\d)(?=[^&]*[a-z])[0-9a-z_-]{16,}", re.I)

_PATH_SESSION = re.compile(
    r"(?:;|%3B)(?:jsessionid|phpsessid|sessionid|session_id|sid)(?:=|%3D)[^/?;#]*", re.I
)

#: ASP.NET without cookies: session, user, sign-in and browser test, as a part of the path.
_ASP_SESSION = re.compile(r"/\((?:[SAFX]\([\w-]+\))+\)(?=/|$)", re.A)


def without_tracking(pieces: Iterable[str]) -> list[str]:
    """Return the name=value pieces of a query that help to say which page is meant.

    >>> without_tracking(["id=3", "utm_source=mail", "PHPSESSID=1f", "sid=12"])
    ['id=3', 'sid=12']
    """
    return [piece for piece in pieces if not is_tracking(piece)]


def is_tracking(piece: str) -> bool:
    """Does a name=value piece of a query name the reader, his session or the way he came?"""
    name, _, value = piece.partition("=")
    said = _said_of(name)
    return said is _DROP or (said is _DOUBT and _TOKEN.fullmatch(value) is not None)


@lru_cache(maxsize=4096)
def _said_of(name: str) -> str:
    """Return what is done with a parameter of this name; the names of a site are few."""
    name = name.lower()
    if name in _DROPPED or name.startswith(_DROPPED_PREFIXES):
        return _DROP
    return _DOUBT if name in DOUBTFUL_SESSIONS else _KEEP


def without_sessions(path: str) -> str:
    """Return a path, or a URL up to its query, without the session ids that servers put in it.

    >>> without_sessions("/list;jsessionid=0A1B.node2/3"), without_sessions("/(S(f3a2x1))/list")
    ('/list/3', '/list')
    """
    if "/(" in path:
        path = _ASP_SESSION.sub("", path)
    return _PATH_SESSION.sub("", path) if ";" in path or "%3" in path else path

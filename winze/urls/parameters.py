"""Parameters that say who is reading or from where he came, not which page is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable

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

_TOKEN = re.compile(r"(?=[^&]*\d)(?=[^&]*[a-z])[0-9a-z_-]{16,}", re.I)

_PATH_SESSION = re.compile(
    r";(?:jsessionid|phpsessid|sessionid|session_id|sid)(?:=|%3D)[^/?;#]*", re.I
)


def without_tracking(pieces: Iterable[str]) -> list[str]:
    """Return the name=value pieces of a query that help to say which page is meant.

    >>> without_tracking(["id=3", "utm_source=mail", "PHPSESSID=1f", "sid=12"])
    ['id=3', 'sid=12']
    """
    return [piece for piece in pieces if not is_tracking(piece)]


def is_tracking(piece: str) -> bool:
    """Does a name=value piece of a query name the reader, his session or the way he came?"""
    name, _, value = piece.partition("=")
    name = name.lower()
    if name in _DROPPED or name.startswith(TRACKING_PREFIXES):
        return True
    return name in DOUBTFUL_SESSIONS and _TOKEN.fullmatch(value) is not None


def without_sessions(path: str) -> str:
    """Return a path without the session ids that servlet engines append to it.

    >>> without_sessions("/list;jsessionid=0A1B.node2/3")
    '/list/3'
    """
    return _PATH_SESSION.sub("", path) if ";" in path else path

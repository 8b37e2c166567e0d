import pytest

from winze.parse.caching import is_cache_hit


@pytest.mark.parametrize(
    ("headers", "hit"),
    [
        ({}, False),
        # Squid, Varnish, Fastly (shield and edge), CloudFront.
        ({"x-cache": "HIT from squid.test"}, True),
        ({"x-cache": "MISS from squid.test", "age": "9"}, False),
        ({"x-cache": "MISS, HIT"}, True),
        ({"x-cache": "Hit from cloudfront"}, True),
        ({"x-cache": "RefreshHit from cloudfront"}, False),
        ({"x-cache": "TCP_MEM_HIT from a12"}, True),
        ({"x-cache": "HIT-FOR-PASS"}, False),
        ({"x-cache": "MISS from hit.example"}, False),
        # RFC 9211, 2: its own examples.
        ({"cache-status": "ExampleCache; hit"}, True),
        ({"cache-status": "ExampleCache; hit; ttl=-412"}, True),
        ({"cache-status": "ExampleCache; hit=?0"}, False),
        ({"cache-status": "ExampleCache; fwd=stale; fwd-status=304"}, False),
        ({"cache-status": 'Origin; fwd=uri-miss, "CDN Co; hit"; fwd=miss'}, False),
        ({"cache-status": 'OriginCache; hit; ttl=1100, "CDN Company Here"; fwd=uri-miss'}, True),
        ({"cache-status": "ExampleCache; fwd=uri-miss", "x-cache": "HIT", "age": "3"}, False),
        # RFC 9111, 5.1.
        ({"age": "3600"}, True),
        ({"age": "0"}, False),
        ({"age": "old"}, False),
    ],
)
def test_a_hit_is_told_by_the_headers(headers, hit):
    assert is_cache_hit(headers.items()) is hit


def test_of_several_caches_each_with_its_own_header_one_hit_is_enough():
    assert is_cache_hit([("x-cache", "MISS from near"), ("x-cache", "HIT from far")])
    assert not is_cache_hit([("x-cache", "MISS from near"), ("x-cache", "MISS from far")])

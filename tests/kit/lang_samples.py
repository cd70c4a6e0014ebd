"""Small files of the three languages, written for the tests of `benchwright.lang`."""

from __future__ import annotations

CACHE_PY = '''\
"""A cache."""

import time
from collections import OrderedDict


class Cache:
    def __init__(self, size=3):
        assert size > 0
        self.size = size
        self.bag = OrderedDict()

    def get(self, key):
        return self.bag.get(key)

    def put(self, key, value):
        self.bag[key] = (value, time.time())
        if len(self.bag) > self.size:
            self.bag.popitem(last=False)


def lazy(function):
    return function
'''

CACHE_TEST_PY = '''\
import time

import pytest

from essentials.caching import Cache, lazy


@pytest.fixture
def cache():
    return Cache(2)


# nothing is there at first
def test_empty(cache):
    assert cache.get("a") is None


def fill(cache):
    cache.put("a", 1)
    cache.put("b", 2)


@pytest.mark.parametrize("key", ["a", "b"])
def test_filled(cache, key):
    fill(cache)

    assert cache.get(key)


class TestLazy:
    """Laziness."""

    word = "x"

    def setup_method(self):
        self.calls = 0

    def call(self):
        self.calls += 1

    def test_calls(self):
        lazy(self.call)()
        assert self.calls == 1

    def test_twice(self):
        lazy(self.call)()
        lazy(self.call)()
        assert self.calls == 2


def test_last():
    time.sleep(0)
'''

CACHE_JAVA = """\
package com.acme.cache;

import java.util.LinkedHashMap;
import java.util.Map;

public class Cache<K> {
    private final Map<K, Integer> bag = new LinkedHashMap<>();

    public void put(K key, int value) {
        bag.put(key, value);
    }

    public int size() {
        return bag.size();
    }
}
"""

CACHE_TEST_JAVA = """\
package com.acme.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CacheTest {
    private Cache<String> cache;

    @BeforeEach
    void setUp() {
        cache = new Cache<>();
    }

    /** Nothing is there at first. */
    @Test
    void empty() {
        assertEquals(0, cache.size());
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            cache.put("k" + i, i);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void filled(int count) {
        fill(count);
        assertEquals(count, cache.size());
    }

    @Nested
    class AfterOne {
        @BeforeEach
        void one() {
            fill(1);
        }

        @Test
        void hasOne() {
            assertEquals(1, cache.size());
        }
    }
}
"""

CACHE_GO = """\
package cache

import "sort"

// Cache holds words.
type Cache struct {
	words []string
}

// New makes one.
func New() *Cache {
	return &Cache{}
}

// Put adds a word.
func (c *Cache) Put(word string) {
	c.words = append(c.words, word)
	sort.Strings(c.words)
}

// Len counts.
func (c *Cache) Len() int {
	return len(c.words)
}
"""

CACHE_TEST_GO = """\
package cache_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acme/tools/cache"
)

func fill(c *cache.Cache, count int) {
	for i := 0; i < count; i++ {
		c.Put(fmt.Sprint(i))
	}
}

// Nothing is there at first.
func TestEmpty(t *testing.T) {
	if cache.New().Len() != 0 {
		t.Error("not empty")
	}
}

func TestFilled(t *testing.T) {
	for _, count := range []int{1, 2} {
		t.Run(strings.Repeat("x", count), func(t *testing.T) {
			c := cache.New()
			fill(c, count)
			if c.Len() != count {
				t.Errorf("%d, not %d", c.Len(), count)
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	fill(cache.New(), b.N)
}
"""

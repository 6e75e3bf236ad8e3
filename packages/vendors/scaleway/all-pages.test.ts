import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPages, type Page, type PageRequest } from './all-pages.ts';

interface Item {
  readonly id: string;
}

const items = (count: number): Item[] => Array.from({ length: count }, (_, index) => ({ id: `server-${index}` }));

/** A list that others change between two pages. */
function list(
  first: readonly Item[],
  changed: (items: readonly Item[], asked: number) => readonly Item[] = now => now,
) {
  const asked: number[] = [];
  let now = first;
  const read = async ({ page, pageSize }: PageRequest): Promise<Page<Item>> => {
    asked.push(page);
    const answer = { items: now.slice((page - 1) * pageSize, page * pageSize), totalCount: now.length };
    now = changed(now, asked.length);
    return answer;
  };
  return { asked, read };
}

for (const [count, pages] of [
  [0, [1]],
  [1, [1]],
  [100, [1]],
  [101, [1, 2, 1, 2]],
  [250, [1, 2, 3, 1, 2, 3]],
] as const) {
  test(`a Scaleway list of ${count} takes ${pages.length} requests`, async () => {
    const { asked, read } = list(items(count));
    assert.deepEqual(await allPages('servers', read), items(count));
    assert.deepEqual(asked, pages);
  });
}

test('a server that moved from the second page to the first is in the list', async () => {
  const { read } = list(items(150), (now, times) => (times === 1 ? now.slice(1) : now));
  assert.deepEqual(await allPages('servers', read), items(150).slice(1));
});

test('a server replaced by another between two pages is detected, although the total is the same', async () => {
  const { read } = list(items(150), (now, times) => (times === 1 ? [...now.slice(1), { id: 'new' }] : now));
  assert.deepEqual(await allPages('servers', read), [...items(150).slice(1), { id: 'new' }]);
});

test('a Scaleway list with smaller pages than requested is read completely', async () => {
  const { read } = list(items(120));
  const found = await allPages('servers', ({ page }) => read({ page, pageSize: 50 }));
  assert.equal(found.length, 120);
});

test('a Scaleway list that keeps changing is an error instead of an incomplete list', async () => {
  const { read } = list(items(350), now => now.slice(1));
  await assert.rejects(allPages('servers', read), { code: 'VENDOR_UNAVAILABLE', message: /the list changed/ });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headingAnchors, relativeLinks } from './markdown-links.ts';

describe('Markdown links', () => {
  test('relative links include images and anchors, and exclude URLs and code', () => {
    const page = [
      'See [a](a.md), ![b](b.svg) and [c](#c).',
      '[web](https://example.com) [mail](mailto:x@example.com) `[code](span.md)`',
      '```',
      '[code](block.md)',
      '```',
      '   ```yaml',
      '   [indented](block.md)',
      '   ```',
      '| [cell](d.md#e) |',
    ].join('\n');
    assert.deepEqual(relativeLinks(page), ['a.md', 'b.svg', '#c', 'd.md#e']);
  });

  test('heading anchors follow GitHub: lower case, no punctuation, numbered duplicates', () => {
    const page =
      '# `kubectl top`\n## See a VM’s screen\n## Faults\n```\n# no heading\n```\n## Faults\n### A [link](x.md): b, c\n';
    assert.deepEqual(headingAnchors(page), ['kubectl-top', 'see-a-vms-screen', 'faults', 'faults-1', 'a-link-b-c']);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerLogOptions } from './log-options.ts';
import { createRenderer } from './render-lines.ts';

const LOG = [
  '2030-01-01T00:00:00.000000001Z stdout F first\n',
  '2030-01-01T00:00:01.5Z stderr F a warning\n',
  '2030-01-01T00:00:02Z stdout P a long \n',
  '2030-01-01T00:00:03Z stdout P line \n',
  '2030-01-01T00:00:04Z stdout F ends\n',
  'no line of a log\n',
  '2030-01-01T00:00:05Z stdout F \n',
  '2030-01-01T02:00:06+02:00 stdout F:more last\n',
].join('');

function show(options: Partial<ContainerLogOptions>, log = LOG): string {
  const texts = [1, 7, 64, log.length].map(size => {
    const renderer = createRenderer({
      timestamps: false,
      since: undefined,
      stream: 'all',
      limitBytes: undefined,
      ...options,
    });
    let shown = '';
    for (let at = 0; at < log.length; at += size)
      shown += renderer.render(Buffer.from(log.slice(at, at + size))).toString();
    return shown;
  });
  assert.equal(new Set(texts).size, 1, 'the same wherever the file is cut');
  return texts[0] ?? '';
}

test('log lines are rendered without CRI prefixes, with partial lines joined and invalid ones omitted', () => {
  assert.equal(show({}), 'first\na warning\na long line ends\n\nlast\n');
});

test('log lines with timestamps have one each, also if they were written in parts', () => {
  assert.equal(
    show({ timestamps: true }),
    [
      '2030-01-01T00:00:00.000000001Z first\n',
      '2030-01-01T00:00:01.5Z a warning\n',
      '2030-01-01T00:00:02Z a long line ends\n',
      '2030-01-01T00:00:05Z \n',
      '2030-01-01T02:00:06+02:00 last\n',
    ].join(''),
  );
});

test('log lines are filtered by the requested stream', () => {
  assert.equal(show({ stream: 'stderr' }), 'a warning\n');
  assert.equal(show({ stream: 'stdout' }), 'first\na long line ends\n\nlast\n');
});

test('log lines before sinceTime are omitted, in any time zone and to the fraction of a second', () => {
  assert.equal(show({ since: Date.UTC(2030, 0, 1, 0, 0, 5) }), '\nlast\n');
  assert.equal(show({ since: Date.UTC(2030, 0, 1, 0, 0, 1, 500) }).split('\n')[0], 'a warning');
  assert.equal(show({ since: Date.UTC(2030, 0, 1, 0, 0, 1, 501) }).split('\n')[0], 'a long line ends');
  assert.equal(show({ since: Date.UTC(2031, 0, 1) }), '');
});

test('limitBytes truncates the log to the byte', () => {
  assert.equal(show({ limitBytes: 9 }), 'first\na w');
  const renderer = createRenderer({ timestamps: false, since: undefined, stream: 'all', limitBytes: 6 });
  renderer.render(Buffer.from(LOG));
  assert.ok(renderer.full);
});

test('a log line without an end is not buffered, and the next line is shown', () => {
  const renderer = createRenderer({ timestamps: false, since: undefined, stream: 'all', limitBytes: undefined });
  for (let megabytes = 0; megabytes < 20; megabytes += 1)
    assert.equal(renderer.render(Buffer.alloc(1_000_000, 'x')).length, 0);
  assert.match(renderer.render(Buffer.from(`\n${LOG}`)).toString(), /^first\n/);
});

test('log bytes that are not UTF-8 are passed through unchanged', () => {
  const renderer = createRenderer({ timestamps: false, since: undefined, stream: 'all', limitBytes: undefined });
  const bytes = Buffer.from([0xff, 0x00, 0x1b, 0x5b, 0x80]);
  const line = Buffer.concat([Buffer.from('2030-01-01T00:00:00Z stdout F '), bytes, Buffer.from('\n')]);
  assert.deepEqual(renderer.render(line), Buffer.concat([bytes, Buffer.from('\n')]));
});

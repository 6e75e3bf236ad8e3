import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { defineFlags, flag, programFlags } from './flags.ts';

const flags = defineFlags({
  program: 'example',
  summary: 'an example',
  notes: ['A note.'],
  flags: {
    ...programFlags,
    url: flag.url('url', { help: 'address', unset: 'none' }),
    retry: {
      after: flag.duration('retry-after', { default: '30m', help: 'time between attempts' }),
      most: flag.positive('retry-most', { default: '3', help: 'attempts' }),
    },
    dryRun: flag.switch('dry-run', 'change nothing'),
  },
  invalid: problem => new Error(problem),
});

test('flags are parsed into the groups of their declaration', () => {
  const parsed = flags.parse(['--retry-most=5', '--dry-run', '--bind-address=:9090']);
  assert.deepEqual(parsed.retry, { after: minutes(30), most: 5 });
  assert.equal(parsed.dryRun, true);
  assert.deepEqual(parsed.bind, { host: '0.0.0.0', port: 9090 });
});

test('an optional flag that is absent or empty is undefined', () => {
  assert.equal(flags.parse([]).url, undefined);
  assert.equal(flags.parse(['--url=', '--kubeconfig=']).url, undefined);
});

for (const [argument, message] of [
  ['--retry-after=soon', '--retry-after soon is not a duration such as 90s, 30m or 1h'],
  ['--retry-most=many', '--retry-most many is not a whole number'],
  ['--retry-most=0', '--retry-most 0 is less than 1'],
  ['--bind-address=here', '--bind-address here is not an address such as 0.0.0.0:8080'],
  ['--url=over-there', '--url over-there is not an address such as https://…'],
  ['--log-level=loud', '--log-level loud is none of debug, info, warn, error'],
  ['--no-such-flag', "Unknown option '--no-such-flag'"],
] as const)
  test(`the flag parser rejects ${argument} and names the accepted form`, () => {
    assert.throws(() => flags.parse([argument]), { message });
  });

test('the help text has every flag with its default, and a paragraph for each group', () => {
  assert.equal(
    flags.help,
    `example: an example

Usage: example [flags]

  --kubeconfig <file>              kubeconfig of the cluster (default: the Pod's service account)
  --leader-elect                   elect one active replica with a Lease
  --leader-elect-namespace <name>  namespace of the Lease (default: minifleet-system)
  --bind-address <host:port>       address of /livez, /readyz and /metrics (default: 0.0.0.0:8080)
  --log-level <level>              debug, info, warn or error (default: info)
  --url <url>                      address (default: none)

  --retry-after <duration>         time between attempts (default: 30m)
  --retry-most <count>             attempts (default: 3)

  --dry-run                        change nothing

  --help                           print this help and exit
  --version                        print the version and exit

A note.
`,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '@minifleet/secret';
import { accessFrom, type HostCredentials, mergeFromVendor, withRejected } from './host-credential-secret.ts';

const shows = (password: string | undefined) => ({
  user: 'm1',
  ...(password === undefined ? {} : { password: new Secret('p', password) }),
});
const rejected = (password: string): HostCredentials => withRejected({ password }, password);

const cases: readonly {
  readonly name: string;
  readonly known: HostCredentials;
  readonly vendor: string | undefined;
  readonly password: string | undefined;
  readonly rejected: boolean;
}[] = [
  { name: 'nothing known: the vendor’s', known: {}, vendor: 'v', password: 'v', rejected: false },
  { name: 'nothing known, nothing shown', known: {}, vendor: undefined, password: undefined, rejected: false },
  { name: '<sealed> from the vendor is none', known: {}, vendor: '<sealed>', password: undefined, rejected: false },
  {
    name: '<sealed> kept by the older system is none',
    known: { password: '<sealed>' },
    vendor: undefined,
    password: undefined,
    rejected: false,
  },
  { name: '<sealed> kept, one shown', known: { password: '<sealed>' }, vendor: 'v', password: 'v', rejected: false },
  { name: 'an empty one kept, one shown', known: { password: '' }, vendor: 'v', password: 'v', rejected: false },
  {
    name: 'a person’s stays while it was not refused',
    known: { password: 'p' },
    vendor: 'v',
    password: 'p',
    rejected: false,
  },
  {
    name: 'an editor’s line break is no part of it',
    known: { password: 'p\n' },
    vendor: undefined,
    password: 'p',
    rejected: false,
  },
  {
    name: 'I34 the refused one is not tried again',
    known: rejected('p'),
    vendor: undefined,
    password: 'p',
    rejected: true,
  },
  { name: 'I34 nor when the vendor shows the same', known: rejected('p'), vendor: 'p', password: 'p', rejected: true },
  {
    name: 'the vendor’s newer one replaces a refused one',
    known: rejected('p'),
    vendor: 'v',
    password: 'v',
    rejected: false,
  },
  {
    name: 'another written by a person counts as untried',
    known: { ...rejected('p'), password: 'q' },
    vendor: undefined,
    password: 'q',
    rejected: false,
  },
];

for (const { name, known, vendor, password, rejected: refused } of cases) {
  test(name, () => {
    const access = accessFrom(mergeFromVendor(known, shows(vendor)), 'mac');
    assert.equal(access.password?.reveal().toString(), password);
    assert.equal(access.passwordRejected, refused);
  });
}

test('a user written by an operator stays; the default is the user of the vendor', () => {
  assert.equal(mergeFromVendor({ user: 'admin' }, shows('v')).user, 'admin');
  assert.equal(mergeFromVendor({}, shows('v')).user, 'm1');
});

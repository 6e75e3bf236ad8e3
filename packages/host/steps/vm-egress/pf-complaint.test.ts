import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintIn, confComplaint } from './pf-conf.ts';

const CHATTER =
  'pfctl: Use of -f option, could result in flushing of rules\npresent in the main ruleset added by the system at startup.\n' +
  'See /etc/pf.conf for further details.\n\nNo ALTQ support in kernel\nALTQ related functions disabled\n';

test('constant output of pfctl is not an error message', () => {
  assert.equal(
    complaintIn(`${CHATTER}/x:11: cannot define table a: Resource busy\npfctl: not loaded\n`),
    '/x:11: cannot define table a: Resource busy; pfctl: not loaded',
  );
  assert.equal(complaintIn(CHATTER), 'no reason given');
});

test('a rejected pf.conf line is reported with its text and number on the host', () => {
  const before = 'anchor "tuist.runners"\r\npass all\r\nblok all\r\n';
  const candidate = 'pass all\nblok all\n# BEGIN tuist.runners\n';
  assert.equal(confComplaint('-:2: syntax error\n', { before, candidate }), 'line 3, `blok all`: syntax error');
  const twice = { before: 'ours\nblok\nblok\n', candidate: 'blok\nblok\n' };
  assert.equal(confComplaint('stdin:2: syntax error\n', twice), 'line 3, `blok`: syntax error');
});

test('a pfctl error about another file is passed on unchanged', () => {
  const text = '/etc/pf.anchors/com.apple:3: syntax error\n';
  assert.equal(confComplaint(text, { before: '', candidate: '' }), text.trim());
});

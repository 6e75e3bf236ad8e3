import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentLabel, isSameRunner, readRegistration, renderAgent } from './runner-state.ts';

test('.runner is read with its byte order mark, and what is no registration is none', () => {
  const text = '\ufeff{ "agentId": 7, "agentName": "mini-01", "gitHubUrl": "https://github.com/acme" }';
  assert.deepEqual(readRegistration(text), { url: 'https://github.com/acme', name: 'mini-01', updatesItself: true });
  assert.equal(readRegistration(text.replace('7,', '7, "disableUpdate": true,'))?.updatesItself, false);
  for (const broken of [undefined, '', '\ufeff{ "agentId":', '[]', 'null', '{"agentName":"mini-01"}'])
    assert.equal(readRegistration(broken), undefined);
});

test('a runner is the same by name and place, however the place is written', () => {
  const one = { url: 'https://github.com/Acme/', name: 'mini-01' };
  assert.ok(isSameRunner(one, { url: 'https://github.com/acme', name: 'mini-01' }));
  assert.ok(!isSameRunner(one, { url: 'https://github.com/other', name: 'mini-01' }));
  assert.ok(!isSameRunner(one, { url: 'https://github.com/acme', name: 'mini-02' }));
});

test('its job is named as the runner’s own script names it, and its property list is always the same bytes', () => {
  assert.equal(agentLabel({ url: 'https://github.com/acme', name: 'mini-01' }), 'actions.runner.acme.mini-01');
  assert.equal(agentLabel({ url: 'https://github.com/acme/app/', name: 'm' }), 'actions.runner.acme-app.m');
  const text = renderAgent('m1', 'actions.runner.acme.mini-01');
  assert.match(text, /<string>\/opt\/actions-runner\/runsvc\.sh<\/string>/);
  assert.match(text, /<key>SuccessfulExit<\/key>\n\t\t<false\/>/);
});

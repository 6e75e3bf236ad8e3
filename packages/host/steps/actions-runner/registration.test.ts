import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentLabel, isSameRunner, readRegistration, renderAgent } from './runner-state.ts';

test('.runner is parsed with its byte order mark, and invalid text is no registration', () => {
  const text = '\ufeff{ "agentId": 7, "agentName": "mini-01", "gitHubUrl": "https://github.com/acme" }';
  assert.deepEqual(readRegistration(text), { url: 'https://github.com/acme', name: 'mini-01', updatesItself: true });
  assert.equal(readRegistration(text.replace('7,', '7, "disableUpdate": true,'))?.updatesItself, false);
  for (const broken of [undefined, '', '\ufeff{ "agentId":', '[]', 'null', '{"agentName":"mini-01"}'])
    assert.equal(readRegistration(broken), undefined);
});

test('runners are equal by name and URL, regardless of URL notation', () => {
  const one = { url: 'https://github.com/Acme/', name: 'mini-01' };
  assert.ok(isSameRunner(one, { url: 'https://github.com/acme', name: 'mini-01' }));
  assert.ok(!isSameRunner(one, { url: 'https://github.com/other', name: 'mini-01' }));
  assert.ok(!isSameRunner(one, { url: 'https://github.com/acme', name: 'mini-02' }));
});

test('the runner job has the label of svc.sh and a deterministic property list', () => {
  assert.equal(agentLabel({ url: 'https://github.com/acme', name: 'mini-01' }), 'actions.runner.acme.mini-01');
  assert.equal(agentLabel({ url: 'https://github.com/acme/app/', name: 'm' }), 'actions.runner.acme-app.m');
  const text = renderAgent('m1', 'actions.runner.acme.mini-01');
  assert.match(text, /<string>\/opt\/actions-runner\/runsvc\.sh<\/string>/);
  assert.match(text, /<key>SuccessfulExit<\/key>\n\t\t<false\/>/);
});

import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { relative } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { makeTart } from '../testing/make-tart.ts';
import { decodeResponse, type ExecRequest, encodeRequest } from './agent-protocol.ts';
import { frame, messagesIn } from './protobuf.ts';

test('a guest terminal follows the client’s size, and closing the stream kills the command', async context => {
  const tart = makeTart();
  context.after(() => tart.cleanUp());
  await tart.call(['create', 'vm', '--linux']);
  tart.start(['run', 'vm', '--no-graphics']);
  await eventually(async () => (await tart.call(['exec', 'vm', 'true'])).code === 0);
  const socket = relative(process.cwd(), `${tart.home}/vms/vm/control.sock`);
  const session = connect('http://agent', { createConnection: () => connectSocket(socket) });
  context.after(() => session.destroy());
  session.on('error', () => undefined);
  const stream = session.request({ ':method': 'POST', ':path': '/Agent/Exec', te: 'trailers' });
  stream.on('error', () => undefined);
  const send = (request: ExecRequest): void => void stream.write(frame(encodeRequest(request)));
  const script = 'trap "stty size" WINCH; stty size; while :; do sleep 0.05; done';
  const terminalSize = { rows: 24, columns: 80 };
  send({ type: 'command', command: { name: 'sh', args: ['-c', script], interactive: true, tty: true, terminalSize } });
  let output = '';
  for await (const message of messagesIn(stream)) {
    const response = decodeResponse(message);
    if (response.type === 'standardOutput') output += response.data.toString();
    if (output === '24 80\r\n') send({ type: 'terminalResize', size: { rows: 50, columns: 132 } });
    if (output.endsWith('50 132\r\n')) break;
  }
  assert.equal(output, '24 80\r\n50 132\r\n');
});

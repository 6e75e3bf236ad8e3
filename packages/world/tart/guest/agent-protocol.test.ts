import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRequest, decodeResponse, type ExecRequest, encodeRequest, encodeResponse } from './agent-protocol.ts';
import { frame, messagesIn } from './protobuf.ts';

test('requests to the guest agent are encoded and decoded without loss', () => {
  const command = {
    name: 'sh',
    args: ['-c', 'é'],
    interactive: true,
    tty: true,
    terminalSize: { rows: 24, columns: 300 },
  };
  const requests: ExecRequest[] = [
    { type: 'command', command },
    { type: 'standardInput', data: Buffer.alloc(0) },
    { type: 'standardInput', data: Buffer.from('x'.repeat(1_000)) },
    { type: 'terminalResize', size: { rows: 1, columns: 2 } },
  ];
  for (const request of requests) assert.deepEqual(decodeRequest(encodeRequest(request)), request);
});

test('an exit code of 0 is encoded as an exit', () => {
  assert.deepEqual(decodeResponse(encodeResponse({ type: 'exit', code: 0 })), { type: 'exit', code: 0 });
});

test('guest agent messages are whole however the stream is split', async () => {
  const bytes = Buffer.concat([frame(Buffer.from('one')), frame(Buffer.alloc(0)), frame(Buffer.from('three'))]);
  async function* cut(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 4) yield bytes.subarray(at, at + 4);
  }
  const messages: string[] = [];
  for await (const message of messagesIn(cut())) messages.push(message.toString());
  assert.deepEqual(messages, ['one', '', 'three']);
});

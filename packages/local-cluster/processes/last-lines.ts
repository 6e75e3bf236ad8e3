/** The end of a log, without reading the whole of it. */
import { open } from 'node:fs/promises';

const ENOUGH_BYTES = 16 * 1024;

export async function lastLines(file: string, count = 15): Promise<string> {
  const log = await open(file, 'r');
  try {
    const { size } = await log.stat();
    const length = Math.min(size, ENOUGH_BYTES);
    const { buffer } = await log.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString().trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    await log.close();
  }
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Duration, minutes } from '@minifleet/clock';
import type { Artifact } from './host.ts';
import type { Argv, CommandOutcome, HostTransport } from './transport/transport.ts';

interface ArtifactUpload {
  readonly argv: Argv;
  readonly artifact: Artifact;
  readonly timeout: Duration | undefined;
  readonly signal: AbortSignal | undefined;
}

const UPLOAD_WITHIN = minutes(10);

/**
 * Runs upload.sh. The host first answers whether it needs the content, so one command suffices and existing content is
 * not sent.
 */
export async function uploadArtifact(
  transport: HostTransport,
  { argv, artifact, timeout, signal }: ArtifactUpload,
): Promise<{ readonly outcome: CommandOutcome; readonly sent: boolean }> {
  const { promise: answered, resolve: answer } = Promise.withResolvers<boolean>();
  let heard = '';
  let sent = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    if (!(await answered)) return;
    sent = true;
    yield* artifact.open();
  }
  try {
    const outcome = await transport.run({
      argv,
      stdin: content(),
      deadline: timeout ?? UPLOAD_WITHIN,
      signal,
      onStdout(chunk) {
        heard += chunk.toString('latin1');
        // A login shell may print text first (/etc/zshenv): only these two lines are the answer.
        const word = /^(send|there)$/m.exec(heard.slice(0, heard.lastIndexOf('\n') + 1))?.[1];
        if (word !== undefined) answer(word === 'send');
      },
    });
    return { outcome, sent };
  } finally {
    answer(false);
  }
}

/** A local file as an artifact. It is read once for its hash, and again only if a host does not have it. */
export async function fileArtifact(path: string): Promise<Artifact> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { name: basename(path), sha256: hash.digest('hex'), open: () => createReadStream(path) };
}

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createRedactor } from '@minifleet/secret';
import type { Artifact, FilePlace } from '../../host.ts';
import { openHost } from '../../open-host.ts';
import type { Command, CommandOutcome } from '../../transport/transport.ts';
import type { Bench } from './contract-host.ts';
import { ran } from './ran.ts';
import { test } from './test.ts';

const artifactOf = (content: Buffer, sent: Buffer = content): Artifact => ({
  name: 'a program',
  sha256: createHash('sha256').update(content).digest('hex'),
  async *open() {
    for (let from = 0; from < sent.length; from += 65_536) yield sent.subarray(from, from + 65_536);
  },
});

/** Files as steps write them: whole or not at all, and never over what was not read. */
export function filesContract(bench: Bench): void {
  const at = (name: string, mode = 0o640): FilePlace => ({
    path: `${bench().folder}/${name}`,
    mode,
    owner: bench().owner,
  });
  const listed = async (folder = '.'): Promise<string[]> => {
    const { stdout } = await bench().host.query(['/bin/ls', '-A', `${bench().folder}/${folder}`], { root: true });
    return stdout.split('\n').filter(Boolean);
  };

  test('a written file is complete and has its mode, and its directory is created', async () => {
    const { host } = bench();
    const place = at('write/deep/file', 0o600);
    const content = randomBytes(300_000);
    await host.writeFile(place, content);
    assert.deepEqual(await host.readBytes(place.path), content);
    const info = await host.fileInfo(place.path);
    assert.deepEqual([info?.kind, info?.mode, info?.uid, info?.size], ['file', 0o600, 0, 300_000]);
    await host.writeFile(place, 'shorter');
    assert.equal(await host.readText(place.path), 'shorter');
    assert.deepEqual(await listed('write/deep'), ['file']);
  });

  test('a path with special characters is written literally', async () => {
    const { host } = bench();
    const place = at('it\'s a $(file) `with` *every* "thing" ünd\nmore');
    await host.writeFile(place, 'text');
    assert.equal(await host.readText(place.path), 'text');
    await host.remove(place.path);
    assert.equal(await host.readText(place.path), undefined);
  });

  test('an edit writes its result, and nothing if the text is unchanged', async () => {
    const { host } = bench();
    const place = at('edit/conf');
    assert.equal(await host.editText(place, text => `${text}one\n`), true);
    assert.equal(await host.editText(place, text => `${text}two\n`), true);
    assert.equal(await host.editText(place, text => text), false);
    assert.equal(await host.readText(place.path), 'one\ntwo\n');
  });

  test('an edit does not overwrite a concurrent change', async () => {
    const { host } = bench();
    const place = at('edit/conflict');
    await host.writeFile(place, 'ours\n');
    // Somebody else writes in the moment between our reading and our writing.
    const theirs = ['sudo', '-n', '/bin/sh', '-c', 'echo theirs > "$1"', 'sh', place.path] as const;
    const { transport } = bench();
    const run = async (command: Command): Promise<CommandOutcome> => {
      if (command.argv.includes('write-file')) await ran(transport, theirs);
      return transport.run(command);
    };
    const late = openHost({ ...host, transport: { ...transport, run }, redactor: createRedactor() });
    await assert.rejects(
      late.editText(place, text => `${text}more\n`),
      { code: 'HOST_FILE_CHANGED' },
    );
    assert.equal(await host.readText(place.path), 'theirs\n');
  });

  test('an edit preserves bytes that are not UTF-8', async () => {
    const { host } = bench();
    const place = at('edit/bytes');
    await host.writeFile(place, Buffer.from('caf\xe9\n', 'latin1'));
    await host.editText(place, text => `${text}more\n`);
    assert.deepEqual(await host.readBytes(place.path), Buffer.from('caf\xe9\nmore\n', 'latin1'));
  });

  test('a file is not written into a directory of the same name', async () => {
    const { host } = bench();
    await host.writeFile(at('folder/inside'), 'text');
    await assert.rejects(host.writeFile(at('folder'), 'text'), /Is a directory/);
    assert.deepEqual(await listed('folder'), ['inside']);
  });

  test('an artifact is sent once, and again after another process changed it', async () => {
    const { host } = bench();
    const place = at('upload/agent', 0o755);
    const content = randomBytes(2_000_000);
    const artifact = artifactOf(content);
    assert.equal(await host.holdsArtifact(place.path, artifact), false);
    assert.equal(await host.upload(place, artifact), 'sent');
    assert.deepEqual(await host.readBytes(place.path), content);
    assert.equal(await host.upload(place, artifact), 'there');
    assert.equal(await host.holdsArtifact(place.path, artifact), true);
    await host.writeFile(place, 'damaged');
    assert.equal(await host.holdsArtifact(place.path, artifact), false);
    assert.equal(await host.upload(place, artifact), 'sent');
    assert.equal((await host.fileInfo(place.path))?.mode, 0o755);
  });

  test('an upload with a wrong hash leaves the old file', async () => {
    const { host } = bench();
    const place = at('wrong/agent');
    await host.writeFile(place, 'old');
    const broken = artifactOf(randomBytes(200_000), randomBytes(100_000));
    await assert.rejects(host.upload(place, broken), { code: 'HOST_UPLOAD_INCOMPLETE' });
    assert.equal(await host.readText(place.path), 'old');
    assert.deepEqual(await listed('wrong'), ['agent']);
  });

  test('an interrupted upload leaves the old file, and the next run removes its part', async () => {
    const { host } = bench();
    const place = at('broken/agent');
    await host.writeFile(place, 'old');
    const content = randomBytes(3_000_000);
    const breaking: Artifact = {
      ...artifactOf(content),
      async *open() {
        yield content.subarray(0, 1_000_000);
        throw new Error('the file here is gone');
      },
    };
    await assert.rejects(host.upload(place, breaking), { message: 'the file here is gone' });
    assert.equal(await host.readText(place.path), 'old');
    await host.run(['/bin/sh', '-c', 'echo killed > "$1"', 'sh', `${place.path}.minifleet-part.abc123`], {
      root: true,
    });
    assert.equal(await host.upload(place, artifactOf(content)), 'sent');
    assert.deepEqual(await listed('broken'), ['agent', 'agent.origin']);
  });

  test('files with similar names are kept next to a written file', async () => {
    const { host } = bench();
    for (const name of ['conf', 'conf.backup', 'conf.part', 'conf.minifleet-part']) {
      await host.writeFile(at(`beside/${name}`), name);
    }
    await host.writeFile(at('beside/conf'), 'again');
    assert.deepEqual(await listed('beside'), ['conf', 'conf.backup', 'conf.minifleet-part', 'conf.part']);
  });

  test('removing a tree works, and removing a missing path is no error', async () => {
    const { host } = bench();
    await host.writeFile(at('tree/a/b/c'), 'leaf');
    await host.remove(`${bench().folder}/tree`);
    await host.remove(`${bench().folder}/tree`);
    assert.equal(await host.fileInfo(`${bench().folder}/tree`), undefined);
  });
}

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBuilder, type SimulatedBuilder } from './testing/simulated-builder.ts';

const VM = 'minifleet-bake-runner-7-1';

/** A builder with a base image, and the behaviour of its Packer. */
async function withPacker(context: { after(clean: () => Promise<void>): void }, builds: string) {
  const builder = await openBuilder(context);
  const { digest } = builder.registry.seedImage('acme/base:1');
  const log = join(builder.tart.world, 'packer-calls');
  builder.install('packer', `printf '%s\\n' "$*" >>'${log}'\ncase $1 in build) ${builds} ;; esac`);
  return { builder, base: `ghcr.io/acme/base@${digest}`, asked: () => readFileSync(log, 'utf8').trimEnd().split('\n') };
}

const bake = (builder: SimulatedBuilder, base: string) =>
  builder.script('bake.sh', ['runner', base, VM, '-var', 'xcode_versions=["26.3"]']);

test('bake: one image is built with the pinned versions, and only the plugin is installed', async context => {
  const { builder, base, asked } = await withPacker(context, `tart clone ghcr.io/acme/base:1 ${VM}`);
  const { code, stderr } = await bake(builder, base);
  assert.equal(code, 0, stderr);
  const [init = '', build = ''] = asked();
  assert.match(init, /^init .*macos\.pkr\.hcl$/);
  assert.match(build, /^build -color=false -only=macos\.tart-cli\.runner -var-file=\S+\/versions\.pkrvars\.hcl /);
  assert.ok(build.includes(`-var base_image=${base} -var vm_name=${VM} -var xcode_versions=["26.3"] `));
  assert.equal(asked().length, 2);
});

test('I26 a Packer without access to its guest fails with the cause, not only with its own message', async context => {
  const { builder, base } = await withPacker(context, 'echo "Timeout waiting for SSH."; exit 1');
  const { code, stderr } = await bake(builder, base);
  assert.equal(code, 1);
  assert.match(stderr, /Timeout waiting for SSH\.\n[\s\S]*the Local Network permission is not in effect on this host/);
});

test('bake: other failures of Packer are reported unchanged', async context => {
  const { builder, base } = await withPacker(
    context,
    'echo "Error: Script exited with non-zero exit status: 7"; exit 3',
  );
  const { code, stderr } = await bake(builder, base);
  assert.equal(code, 3);
  assert.doesNotMatch(stderr, /Local Network/);
});

test('bake: a VM that the plugin left without NVRAM gets that of its base', async context => {
  const lost = `tart clone ghcr.io/acme/base:1 ${VM} && rm "$TART_HOME/vms/${VM}/nvram.bin"`;
  const { builder, base } = await withPacker(context, lost);
  const { code, stderr } = await bake(builder, base);
  assert.equal(code, 0, stderr);
  assert.ok(existsSync(join(builder.tart.home, 'vms', VM, 'nvram.bin')));
  assert.deepEqual(await builder.vms(), [VM]);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Prints every file that is loaded for the module. */
const loaded = (module: string): string[] => {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
    await import(${JSON.stringify(new URL(module, import.meta.url).href)});`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).split('\n');
};

test('get loads no schemas: they take longer than the answer of the cluster', () => {
  const files = loaded('./get.ts');
  assert.ok(files.some(file => file.endsWith('/get/get.ts')));
  assert.deepEqual(
    files.filter(file => /node_modules\/zod\/|packages\/api\/index\.ts/.test(file)),
    [],
  );
});

test('the command line itself loads no command: help and completion wait for none', () => {
  const files = loaded('../cli.ts');
  assert.deepEqual(
    files.filter(file => /packages\/(kube|api|host|world|local-cluster)\//.test(file)),
    [],
  );
});

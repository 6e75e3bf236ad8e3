import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Lists every file that is loaded for the module. */
const loaded = (module: string): string[] => {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });
    await import(${JSON.stringify(new URL(module, import.meta.url).href)});`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).split('\n');
};

const SCHEMAS = /node_modules\/zod\/|packages\/api\/index\.ts/;
/** Controller runtime, mainly its metrics. */
const RUNTIME = /node_modules\/(prom-client|@opentelemetry)\/|packages\/kube\/(index|runtime)\.ts/;

test('get loads neither the schemas nor the controller runtime, which take longer than the cluster', () => {
  const files = loaded('./get.ts');
  assert.ok(files.some(file => file.endsWith('/get/get.ts')));
  assert.deepEqual(
    files.filter(file => SCHEMAS.test(file) || RUNTIME.test(file)),
    [],
  );
});

test('explain does not load the controller runtime', () => {
  const files = loaded('../explain/explain.ts');
  assert.ok(files.some(file => file.endsWith('/explain/explain.ts')));
  assert.deepEqual(
    files.filter(file => RUNTIME.test(file)),
    [],
  );
});

test('the command line loads no command code for help and completion', () => {
  const files = loaded('../cli.ts');
  assert.deepEqual(
    files.filter(file => /packages\/(kube|api|host|world|local-cluster)\//.test(file)),
    [],
  );
});
